import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../model/request.js";
import { inlineRefs } from "./inline-refs.js";

const inline = (schema: JsonSchema): JsonSchema => inlineRefs(schema, "the schema");

describe("references", () => {
  test("are replaced by what they name, wherever it stands", () => {
    expect(
      inline({
        type: "object",
        properties: {
          a: { $ref: "#/$defs/name" },
          b: { type: "array", items: { $ref: "#/definitions/x~1y" } },
          c: { anyOf: [{ $ref: "#/properties/d" }, { type: "null" }] },
          d: { type: "number" },
        },
        $defs: { name: { type: "string", description: "A name." } },
        definitions: { "x/y": { $ref: "#/$defs/name" } },
      }),
    ).toEqual({
      type: "object",
      properties: {
        a: { type: "string", description: "A name." },
        b: { type: "array", items: { type: "string", description: "A name." } },
        c: { anyOf: [{ type: "number" }, { type: "null" }] },
        d: { type: "number" },
      },
    });
  });

  test("give way to keywords beside them", () => {
    const $defs = { name: { type: "string", description: "A name." } };
    expect(inline({ $ref: "#/$defs/name", description: "Yours.", $defs })).toEqual({
      type: "string",
      description: "Yours.",
    });
  });

  test("of a schema to itself end in an outline", () => {
    const node = {
      type: "object",
      description: "A node.",
      properties: { next: { $ref: "#/$defs/node" } },
    };
    const outline = { type: "object", description: "A node." };
    expect(inline({ $ref: "#/$defs/node", $defs: { node } })).toEqual({
      ...outline,
      properties: { next: outline },
    });
    expect(inline({ type: "object", properties: { self: { $ref: "#" } } })).toEqual({
      type: "object",
      properties: { self: { type: "object", properties: { self: { type: "object" } } } },
    });
  });

  test("of a schema to itself stay where that is asked for, with all that they need", () => {
    const $defs = {
      node: {
        type: "object",
        properties: {
          name: { $ref: "#/$defs/name" },
          children: { type: "array", items: { $ref: "#/$defs/node", title: "Child" } },
        },
      },
      name: { type: "string" },
      other: { type: "null" },
    };
    const node = {
      type: "object",
      properties: {
        name: { type: "string" },
        children: { type: "array", items: { $ref: "#/$defs/node" } },
      },
    };
    expect(
      inlineRefs(
        { type: "object", properties: { a: { $ref: "#/$defs/node" } }, $defs },
        "x",
        "keep",
      ),
    ).toEqual({ type: "object", properties: { a: node }, $defs: { node } });
  });

  test("to the root stay as references to a definition", () => {
    const root = { type: "object", properties: { self: { $ref: "#" } } };
    const kept = { type: "object", properties: { self: { $ref: "#/$defs/_" } } };
    expect(inlineRefs(root, "x", "keep")).toEqual({ ...kept, $defs: { _: kept } });
  });

  test("of two schemas to each other stay, each by a name of its own", () => {
    const $defs = { x: { properties: { b: { $ref: "#/definitions/x" } } } };
    const definitions = { x: { properties: { a: { $ref: "#/$defs/x" } } } };
    const schema = { properties: { a: { $ref: "#/$defs/x" } }, $defs, definitions };
    const kept = inlineRefs(schema, "x", "keep");
    const refs = JSON.stringify(kept).matchAll(/"\$ref":"#\/\$defs\/(\w+)"/g);
    const names = Object.keys(kept["$defs"] as JsonSchema);
    for (const [, name] of refs) expect(names).toContain(name);
    expect(kept).not.toHaveProperty("definitions");
  });

  test("to anything are nothing to say", () => {
    expect(inline({ properties: { a: { $ref: "#/$defs/any" } }, $defs: { any: true } })).toEqual({
      properties: { a: {} },
    });
  });

  test.each(["https://x.test/schema", "other.json#/a", "#anchor"])(
    "out of the schema (%s) are refused",
    ($ref) => {
      expect(() => inline({ $ref })).toThrow("the schema refers to");
    },
  );

  test("to nothing are refused, also where a prototype has the name", () => {
    expect(() => inline({ $ref: "#/$defs/gone" })).toThrow("is not in it");
    expect(() => inline({ $ref: "#/constructor" })).toThrow("is not in it");
  });

  test("that multiply beyond reason are refused instead of inlined", () => {
    const $defs: Record<string, JsonSchema> = { d0: { type: "string" } };
    for (let n = 1; n <= 20; n += 1) {
      const $ref = `#/$defs/d${n - 1}`;
      $defs[`d${n}`] = { type: "object", properties: { a: { $ref }, b: { $ref } } };
    }
    expect(() => inline({ $ref: "#/$defs/d20", $defs })).toThrow("more than 2000 references");
  });
});

test("what only looks like a reference is left alone", () => {
  const schema = {
    type: "object",
    properties: { $ref: { type: "string" }, enum: { type: "string", enum: ["a"] } },
    default: { $ref: "#/nowhere" },
    examples: [{ $ref: "#/nowhere" }],
  };
  expect(inline(schema)).toEqual(schema);
});
