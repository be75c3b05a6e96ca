import fc from "fast-check";
import type { JsonValue } from "llm-worker";
import { expect, test } from "vitest";
import { PartialArguments } from "./partial-arguments.js";

interface Piece {
  readonly jsonPath: string;
  readonly willContinue?: boolean;
  readonly stringValue?: string;
  readonly numberValue?: number;
  readonly boolValue?: boolean;
  readonly nullValue?: "NULL_VALUE";
}

function argumentsOf(pieces: readonly unknown[]): unknown {
  const args = new PartialArguments();
  expect(args.add(pieces)).toBe(true);
  return JSON.parse(args.toJson());
}

test("values of every type go where their path says", () => {
  expect(
    argumentsOf([
      { jsonPath: "$.name", stringValue: "x" },
      { jsonPath: "$.size.width", numberValue: 1.5 },
      { jsonPath: "$.size.isExact", boolValue: false },
      { jsonPath: "$.list[0].id", nullValue: "NULL_VALUE" },
      { jsonPath: "$.list[1]", stringValue: "b" },
      { jsonPath: '$[\'it\\\'s "one"\']["a.b"]', numberValue: 2 },
    ]),
  ).toEqual({
    name: "x",
    size: { width: 1.5, isExact: false },
    list: [{ id: null }, "b"],
    'it\'s "one"': { "a.b": 2 },
  });
});

test("a string grows until a piece of it says that it was the last", () => {
  const pieces = [
    { jsonPath: "$.a", stringValue: "New ", willContinue: true },
    { jsonPath: "$.b", stringValue: "other" },
    { jsonPath: "$.a", stringValue: "York", willContinue: true },
    { jsonPath: "$.a", stringValue: "" },
  ];
  expect(argumentsOf(pieces)).toEqual({ a: "New York", b: "other" });
  expect(argumentsOf([...pieces, { jsonPath: "$.a", stringValue: "again" }])).toEqual({
    a: "again",
    b: "other",
  });
});

test("no piece at all and a piece without a value say nothing", () => {
  expect(argumentsOf([])).toEqual({});
  expect(argumentsOf([{ jsonPath: "$.a", willContinue: true }])).toEqual({});
});

test("a key is only a key, whatever its name", () => {
  expect(
    argumentsOf([
      { jsonPath: "$.__proto__.polluted", boolValue: true },
      { jsonPath: "$.constructor.prototype", boolValue: true },
    ]),
  ).toEqual(JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":true}}'));
  expect({}).not.toHaveProperty("polluted");
});

test.each([
  ["a", { stringValue: "x" }],
  ["$", { stringValue: "x" }],
  ["$..a", { stringValue: "x" }],
  ["$.a[*]", { stringValue: "x" }],
  ["$.a[4000000000]", { stringValue: "x" }],
  [`$${".a".repeat(101)}`, { stringValue: "x" }],
  ["$.list.name", { stringValue: "x" }],
  ["$.text.name", { stringValue: "x" }],
  ["$.a", { bytesValue: "x" }],
  ["$.a", { stringValue: 1 }],
])("a piece for %s with %o cannot be read", (jsonPath, value) => {
  const args = new PartialArguments();
  args.add([
    { jsonPath: "$.list[0]", numberValue: 1 },
    { jsonPath: "$.text", stringValue: "t" },
  ]);
  expect(args.add([{ jsonPath, ...value }])).toBe(false);
});

test("arguments cut into pieces are the same arguments", () => {
  const { json } = fc.letrec<{ json: JsonValue }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      fc.string(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("json"), { minLength: 1, maxLength: 4 }),
      fc.dictionary(fc.string(), tie("json"), { minKeys: 1, maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(fc.string(), json), (value) => {
      expect(argumentsOf([...piecesOf(value, "$")])).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

function* piecesOf(value: JsonValue, jsonPath: string): Generator<Piece> {
  if (typeof value === "string") {
    const half = Math.floor(value.length / 2);
    yield { jsonPath, stringValue: value.slice(0, half), willContinue: true };
    yield { jsonPath, stringValue: value.slice(half) };
  } else if (typeof value === "number") yield { jsonPath, numberValue: value };
  else if (typeof value === "boolean") yield { jsonPath, boolValue: value };
  else if (value === null) yield { jsonPath, nullValue: "NULL_VALUE" };
  else if (Array.isArray(value)) {
    for (const [at, element] of value.entries())
      yield* piecesOf(element as JsonValue, `${jsonPath}[${at}]`);
  } else {
    for (const [key, field] of Object.entries(value)) {
      yield* piecesOf(field as JsonValue, `${jsonPath}[${JSON.stringify(key)}]`);
    }
  }
}
