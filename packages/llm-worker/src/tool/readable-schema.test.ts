import { describe, expect, test } from "vitest";
import type { JsonValue } from "../blob/content.js";
import type { JsonSchema } from "../model/request.js";
import { jsonSchemaValidator } from "./json-schema-validator.js";
import { readableSchema } from "./readable-schema.js";

async function takes(schema: JsonSchema, value: unknown): Promise<boolean> {
  return (await jsonSchemaValidator({ type: "object", ...schema })(value)).ok;
}

/** A schema of which `x` is a property. */
function ofX(schema: JsonSchema): JsonSchema {
  return { properties: { x: schema } };
}

describe("valid arguments are taken", () => {
  test.each<[string, JsonSchema, unknown, unknown]>([
    [
      "one of two ways to say it",
      {
        properties: { path: { type: "string" }, url: { type: "string" } },
        oneOf: [{ required: ["path"] }, { required: ["url"] }],
      },
      { path: "a" },
      { path: 1 },
    ],
    ["branches without type", ofX({ oneOf: [{ minimum: 10 }, { maximum: 5 }] }), { x: 11 }, []],
    [
      "branches with types",
      ofX({ oneOf: [{ type: "string" }, { type: "integer" }] }),
      { x: 1 },
      { x: 1.5 },
    ],
    [
      "both at once",
      ofX({ anyOf: [{ type: "string" }], oneOf: [{ minLength: 1 }] }),
      { x: "a" },
      { x: 1 },
    ],
    ["an object as constant", ofX({ const: { a: 1 } }), { x: { a: 1 } }, "none"],
    ["an array in a choice", ofX({ enum: [[1], "none"] }), { x: [1] }, "none"],
    [
      "a pattern of letters",
      ofX({ type: "string", pattern: "^[\\p{L}_]+$" }),
      { x: "añb" },
      { x: 1 },
    ],
    [
      "names of letters",
      { patternProperties: { "^\\p{L}+$": {} }, additionalProperties: false },
      { ä: 1 },
      "none",
    ],
    ["a reference", ofX({ type: "string", format: "uri-reference" }), { x: "/a/b" }, { x: 1 }],
    [
      "a UUID of any kind",
      ofX({ type: "string", format: "uuid" }),
      { x: "12345678-1234-1234-1234-123456789012" },
      { x: 1 },
    ],
    [
      "any of these further in",
      {
        properties: { list: { type: "array", items: { $ref: "#/$defs/entry" } } },
        $defs: { entry: { oneOf: [{ required: ["a"] }, { required: ["b"] }] } },
      },
      { list: [{ a: 1 }] },
      { list: 1 },
    ],
  ])("%s", async (_name, schema, valid, invalid) => {
    expect(await takes(schema, valid)).toBe(true);
    expect(await takes(schema, invalid)).toBe(false);
  });
});

test("names of properties and values are no keywords", () => {
  const schema = {
    type: "object",
    properties: { oneOf: { type: "string" }, const: { type: "array" }, format: { enum: ["uuid"] } },
    default: { oneOf: [], pattern: "\\p{L}" },
    required: ["oneOf"],
  } satisfies Record<string, JsonValue>;
  expect(readableSchema(schema)).toEqual(schema);
});
