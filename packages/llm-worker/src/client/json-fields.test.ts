import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonWithFields } from "../../test/support/json-with-fields.js";
import { fieldTree, findFields, hasKeptField, type JsonPath } from "./json-fields.js";

const find = (
  text: string,
  kept: readonly JsonPath[],
): readonly { key: string | number; text: string }[] | undefined =>
  findFields(text, JSON.parse(text), fieldTree({ kept }))?.map(({ key, start, end }) => ({
    key,
    text: text.slice(start, end),
  }));

function valueAt(value: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>((inner, key) => {
    const isPlace = typeof key === "number";
    if (typeof inner !== "object" || inner === null || Array.isArray(inner) !== isPlace) return;
    return (inner as Record<string | number, unknown>)[key];
  }, value);
}

const step = fc.oneof(fc.constantFrom("a", "b", "c"), fc.constantFrom(0, 1));
const paths = fc.uniqueArray(fc.array(step, { minLength: 1, maxLength: 3 }), {
  selector: String,
  minLength: 1,
  maxLength: 5,
});

describe("findFields", () => {
  test("finds each string and number that is asked for, where it stands", () => {
    fc.assert(
      fc.property(jsonWithFields, paths, (text, kept) => {
        const value: unknown = JSON.parse(text);
        const found = findFields(text, value, fieldTree({ kept }));
        fc.pre(found !== undefined);
        for (const { start, end, parent, key, type } of found) {
          expect(JSON.parse(text.slice(start, end))).toBe(parent[key]);
          expect(typeof parent[key]).toBe(type);
        }
        const wanted = kept
          .map((path) => valueAt(value, path))
          .filter((one) => typeof one === "string" || typeof one === "number");
        expect(found.map(({ parent, key }) => String(parent[key])).toSorted()).toEqual(
          wanted.map(String).toSorted(),
        );
        const starts = found.map(({ start }) => start);
        expect(starts).toEqual(starts.toSorted((one, other) => one - other));
        expect(wanted.length === 0 || hasKeptField(value, fieldTree({ kept }))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test("knows a name by what it says, not by how it is written", () => {
    expect(find(String.raw`{"\u0061" : [1, {"b":"x\"}"}]}`, [["a", 1, "b"]])).toEqual([
      { key: "b", text: String.raw`"x\"}"` },
    ]);
  });

  test.each([
    ['{"a":1,"a":2}', [["a"]]],
    [String.raw`{"a":1,"\u0061":2}`, [["a"]]],
    ['{"a":{"b":1},"a":{"b":2}}', [["a", "b"]]],
    ['{"a":{"b":1},"a":null}', [["a", "b"]]],
    ['{"a":null,"a":{"b":1}}', [["a", "b"]]],
    ['{"a":[{"b":1}],"a":{"0":{"b":1}}}', [["a", 0, "b"]]],
  ] satisfies [string, JsonPath[]][])("gives up where a name stands twice: %s", (text, kept) => {
    expect(find(text, kept)).toBeUndefined();
  });

  test("does not mind a name that stands twice where nothing is asked for", () => {
    expect(find('{"x":1,"x":2,"a":3,"y":{"a":4,"a":5}}', [["a"]])).toEqual([
      { key: "a", text: "3" },
    ]);
  });

  test("tells places from names", () => {
    expect(find('{"a":{"0":"x"}}', [["a", 0]])).toEqual([]);
    expect(find('{"a":["x"]}', [["a", "0"]])).toEqual([]);
  });

  test("passes over what is nested beyond any stack", () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    const text = `{"x":${deep},"a":1}`;
    expect(findFields(text, { a: 1 }, fieldTree({ kept: [["a"]] }))).toMatchObject([{ key: "a" }]);
  });
});
