import { tool } from "@llm-worker/wire-testing";
import type { JsonSchema } from "llm-worker";
import { describe, expect, test } from "vitest";
import { toDeclaration, toWireSchema } from "./tool-schema.js";

const parametersOf = (inputSchema: JsonSchema): JsonSchema =>
  toDeclaration({ ...tool, inputSchema }).parametersJsonSchema;

describe("G7: the input schema of a tool", () => {
  test("goes as JSON Schema, without dialect and with references written out", () => {
    expect(
      parametersOf({
        $schema: "https://json-schema.org/draft/2020-12/schema",
        $id: "x",
        type: "object",
        properties: {
          a: { $ref: "#/$defs/name", description: "First." },
          b: { anyOf: [{ $ref: "#/$defs/name" }, { type: "null" }] },
        },
        required: ["a"],
        additionalProperties: false,
        $defs: { name: { type: "string", minLength: 1 } },
      }),
    ).toEqual({
      type: "object",
      properties: {
        a: { type: "string", minLength: 1, description: "First." },
        b: { anyOf: [{ type: "string", minLength: 1 }, { type: "null" }] },
      },
      required: ["a"],
      additionalProperties: false,
    });
  });

  test("keeps references where a schema contains itself, with nothing beside them", () => {
    const node = {
      type: "object",
      properties: { next: { $ref: "#/definitions/node", description: "Next." } },
    };
    const schema = { type: "object", properties: { head: { $ref: "#/definitions/node" } } };
    const kept = { type: "object", properties: { next: { $ref: "#/$defs/node" } } };
    expect(parametersOf({ ...schema, definitions: { node } })).toEqual({
      type: "object",
      properties: { head: kept },
      $defs: { node: kept },
    });
  });

  test("may leave out that it is an object", () => {
    expect(parametersOf({})).toEqual({ type: "object" });
  });

  test("is refused if its root is anything else, or a reference leads out of it", () => {
    for (const schema of [{ type: "string" }, { anyOf: [] }, { type: ["object", "null"] }]) {
      expect(() => parametersOf(schema)).toThrow('the input schema of tool "add" has');
    }
    expect(() => parametersOf({ properties: { a: { $ref: "other.json" } } })).toThrow(
      'the input schema of tool "add" refers to "other.json"',
    );
  });

  test("keeps a property that has the name of a keyword", () => {
    const schema = {
      type: "object",
      properties: { $ref: { type: "string" }, const: { type: "number" } },
    };
    expect(parametersOf(schema)).toEqual(schema);
  });
});

test("G8: an array without items may hold anything", () => {
  expect(toWireSchema({ type: "object", properties: { a: { type: "array" } } }, "x")).toEqual({
    type: "object",
    properties: { a: { type: "array", items: {} } },
  });
  const tuple = { type: ["array", "null"], prefixItems: [{ type: "array", items: true }] };
  expect(toWireSchema(tuple, "x")).toEqual(tuple);
  expect(toWireSchema({ type: ["array", "null"] }, "x")).toHaveProperty("items", {});
});

test("a constant is said as the only choice, where the server knows choices", () => {
  expect(
    toWireSchema(
      { oneOf: [{ const: "a" }, { type: "number", const: 1 }, { const: true }, true] },
      "x",
    ),
  ).toEqual({ oneOf: [{ enum: ["a"] }, { type: "number", enum: [1] }, { const: true }, {}] });
  const only = { const: "a" };
  const inside = { items: only, additionalProperties: only, properties: { a: only }, $defs: {} };
  expect(toWireSchema(inside, "x")).toEqual({
    items: { enum: ["a"] },
    additionalProperties: { enum: ["a"] },
    properties: { a: { enum: ["a"] } },
  });
});

test("G8: a name that the server refuses is refused before", () => {
  for (const name of ["", "1st", "read file", "x".repeat(65)]) {
    expect(() => toDeclaration({ ...tool, name })).toThrow("rename it");
  }
  expect(toDeclaration({ ...tool, name: "mcp.read:file-1" }).name).toBe("mcp.read:file-1");
});
