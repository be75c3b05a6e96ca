import fc from "fast-check";
import type { JsonSchema } from "llm-worker";
import { describe, expect, test } from "vitest";
import { strictSchema } from "./strict-schema.js";

const object = (properties: Record<string, JsonSchema>, more: object = {}): JsonSchema =>
  // Test data is JSON.
  ({ type: "object", properties, required: Object.keys(properties), ...more }) as JsonSchema;

describe("a strict schema", () => {
  test("has every object closed, wherever it stands", () => {
    const inner = object({ a: { type: "number" } });
    const closed = { ...inner, additionalProperties: false };
    expect(
      strictSchema(
        object(
          { one: inner, many: { type: "array", items: inner }, either: { anyOf: [inner] } },
          { $defs: { named: inner }, $schema: "https://json-schema.org/draft/2020-12/schema" },
        ),
        "it",
      ),
    ).toEqual({
      type: "object",
      properties: {
        one: closed,
        many: { type: "array", items: closed },
        either: { anyOf: [closed] },
      },
      required: ["one", "many", "either"],
      additionalProperties: false,
      $defs: { named: closed },
    });
  });

  test("says oneOf as anyOf, and leaves out defaults", () => {
    const schema = object({ a: { oneOf: [{ type: "null" }, { type: "string", default: "x" }] } });
    expect(strictSchema(schema, "it")).toMatchObject({
      properties: { a: { anyOf: [{ type: "null" }, { type: "string" }] } },
    });
    expect(JSON.stringify(strictSchema(schema, "it"))).not.toContain("default");
  });

  test("takes properties that are named like keywords", () => {
    const schema = object({ default: { type: "string" }, not: { type: "string" } });
    expect(strictSchema(schema, "it")).toEqual({ ...schema, additionalProperties: false });
  });

  test.each([
    [
      object({ a: object({ b: {} }, { required: [] }) }),
      'property "b" is optional',
      "/properties/a",
    ],
    [object({}, { additionalProperties: true }), "further properties", "at its root"],
    [object({ a: { allOf: [{}] } }), "it has allOf", "/properties/a"],
    [object({ a: { patternProperties: {} } }), "it has patternProperties", "/properties/a"],
  ])("%o is refused with what is wrong and where", (schema, problem, path) => {
    const refused = (): unknown => strictSchema(schema, 'the input schema of tool "x"');
    expect(refused).toThrow('the input schema of tool "x" cannot be strict');
    expect(refused).toThrow(problem);
    expect(refused).toThrow(path);
  });

  test("of a strict schema is itself", () => {
    const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<JsonSchema>({ type: "string" }, { enum: [1, null] }),
        fc
          .dictionary(fc.string(), tie("schema"), { maxKeys: 3 })
          .map((properties) => object(properties)),
        fc.array(tie("schema"), { maxLength: 3 }).map((anyOf): JsonSchema => ({ anyOf })),
      ),
    }));
    fc.assert(
      fc.property(schema, (any) => {
        const strict = strictSchema(any, "it");
        expect(strictSchema(strict, "it")).toEqual(strict);
      }),
    );
  });
});
