import type { JsonSchema } from "llm-worker";
import { describe, expect, test } from "vitest";
import { toParameters } from "./tool-schema.js";

const parameters = (schema: JsonSchema): JsonSchema => toParameters("add", schema);
const property = (schema: JsonSchema | boolean): unknown =>
  parameters({ type: "object", properties: { a: schema } })["properties"];

test("a plain schema stays as it is", () => {
  const schema = {
    type: "object",
    properties: {
      a: { type: ["integer", "null"], description: "First.", minimum: 0 },
      b: { type: "array", items: { type: "string", enum: ["x", "y"] } },
      c: { type: "object", properties: { d: { type: "string" } }, required: ["d"] },
    },
    required: ["a"],
    additionalProperties: false,
  };
  expect(parameters(schema)).toEqual(schema);
});

test("the root says that it is an object with properties, and names no dialect", () => {
  expect(parameters({ $schema: "https://json-schema.org/draft/2020-12/schema" })).toEqual({
    type: "object",
    properties: {},
  });
});

test("references are inlined, because the server drops them unseen", () => {
  expect(
    parameters({
      type: "object",
      properties: { a: { $ref: "#/$defs/name" } },
      $defs: { name: { type: "string", description: "A name." } },
    }),
  ).toEqual({
    type: "object",
    properties: { a: { type: "string", description: "A name." } },
  });
});

describe("what the server refuses or drops is said otherwise", () => {
  test.each<[string, JsonSchema | boolean, unknown]>([
    ["anything", true, {}],
    ["a constant", { const: 3 }, { enum: [3] }],
    [
      "one of several",
      { oneOf: [{ type: "string" }, true, false] },
      { anyOf: [{ type: "string" }, {}] },
    ],
    [
      "any of several, deep down",
      { anyOf: [{ items: { const: 1 } }] },
      { anyOf: [{ items: { enum: [1] } }] },
    ],
    ["elements that may be anything", { type: "array", items: true }, { type: "array" }],
    [
      "all of several",
      {
        allOf: [
          { type: "object", properties: { x: { const: 1 } }, required: ["x"] },
          { properties: { y: true }, required: ["y", "x"], description: "Both." },
        ],
      },
      {
        type: "object",
        properties: { x: { enum: [1] }, y: {} },
        required: ["x", "y"],
        description: "Both.",
      },
    ],
    ["required as an object", { type: "object", required: { x: ["y"] } }, { type: "object" }],
    ["a description that is no text", { description: ["x"] }, {}],
  ])("%s", (_name, schema, expected) => {
    expect(property(schema)).toEqual({ a: expected });
  });

  test("a property that nothing can be is left out", () => {
    expect(property(false)).toEqual({});
  });
});

test.each<[string, JsonSchema]>([
  ['type "string"', { type: "string" }],
  ["anyOf", { type: "object", anyOf: [] }],
  ["oneOf", { oneOf: [{ type: "object" }] }],
])("a root with %s is refused with the way out", (found, schema) => {
  expect(() => parameters(schema)).toThrow(
    `the input schema of tool "add" has ${found} at its root`,
  );
});
