import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSelector, printSelector, SelectorError, type SelectorStep } from "./selector.js";

const number = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER - 1 });
const bound = fc.option(number, { nil: undefined });
const text = fc.oneof(
  fc.string({ minLength: 1, unit: "binary" }),
  fc.string({ minLength: 1, unit: fc.constantFrom(...' |"\\\n\u2028:ab\ud800\t') }),
);
const step: fc.Arbitrary<SelectorStep> = fc.oneof(
  fc.record({ type: fc.constant("lines" as const), first: number, last: bound }),
  fc.record({ type: fc.constant("slice" as const), start: number, end: bound }),
  fc.record({ type: fc.constant("bytes" as const), start: number, end: bound }),
  fc.record({ type: fc.constant("key" as const), name: text }),
);
const find = fc.record({ type: fc.constant("find" as const), text });
const selector = fc
  .tuple(fc.array(step, { maxLength: 4 }), fc.option(find, { nil: undefined }))
  .map(([steps, last]) => (last === undefined ? steps : [...steps, last]));

test("parsing what was printed gives the same selector, on one line", () => {
  fc.assert(
    fc.property(selector, (steps) => {
      const printed = printSelector(steps);
      expect(parseSelector(printed)).toEqual(steps);
      expect(printed).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u);
    }),
  );
});

function positionOfError(input: string): number | undefined {
  try {
    parseSelector(input);
    return undefined;
  } catch (error) {
    if (error instanceof SelectorError) return error.position;
    throw error;
  }
}

test("any text gives a selector or a SelectorError that points into the text", () => {
  const near = fc
    .array(
      fc.constantFrom("lines:", "slice:", "key:", "find:", "|", '"', "..", "-", "7", " ", "\\"),
    )
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.oneof(fc.string(), near), (input) => {
      const position = positionOfError(input) ?? 0;
      expect(position).toBeGreaterThanOrEqual(0);
      expect(position).toBeLessThanOrEqual(input.length);
    }),
  );
});

describe("parseSelector", () => {
  test.each<[string, readonly SelectorStep[]]>([
    ["", []],
    ["  ", []],
    ["lines:20-50", [{ type: "lines", first: 20, last: 50 }]],
    ["lines:7", [{ type: "lines", first: 7, last: 7 }]],
    ["lines:7-", [{ type: "lines", first: 7, last: undefined }]],
    ["slice:3..8", [{ type: "slice", start: 3, end: 8 }]],
    ["slice:3", [{ type: "slice", start: 3, end: 4 }]],
    ["bytes: 0-4096 ", [{ type: "bytes", start: 0, end: 4096 }]],
    ["key:a.b c", [{ type: "key", name: "a.b c" }]],
    ['key:"a|b"', [{ type: "key", name: "a|b" }]],
    ['key:""', [{ type: "key", name: "" }]],
    ['find:say "hi"', [{ type: "find", text: 'say "hi"' }]],
    ["find:key:x", [{ type: "find", text: "key:x" }]],
    [
      "key:results|slice:0..5",
      [
        { type: "key", name: "results" },
        { type: "slice", start: 0, end: 5 },
      ],
    ],
    ["lines:7-99999999999999999", [{ type: "lines", first: 7, last: Number.MAX_SAFE_INTEGER }]],
  ])("reads %j", (input, expected) => {
    expect(parseSelector(input)).toEqual(expected);
  });

  test.each<[string, number, string]>([
    ["LINES:1-2 ", 0, "lower case"],
    ["lines:", 6, "lines:20-50"],
    ["lines:1..2", 6, "lines:20-50"],
    ["slice:1-2", 6, "slice:3..8"],
    ["bytes:7", 6, "bytes:0-4096"],
    ["foo:1", 0, 'unknown step "foo"'],
    ["results", 0, 'unknown step "results"'],
    ["key:", 4, "key:NAME"],
    ["key:a |", 7, "missing"],
    ["| key:a", 0, "begins with its name"],
    ["find:a|b", 6, 'write find:"a|b"'],
    ["key:a|b", 6, 'write key:"a|b"'],
    ['find:"id":7', 9, String.raw`write find:"\"id\":7"`],
    ['find:"id', 5, "not closed"],
    ['find:"\\x"', 5, "JSON string"],
    ['find:""', 5, "needs a text"],
  ])("refuses %j at %i and says how to write it", (input, position, message) => {
    const parse = (): unknown => parseSelector(input);
    expect(parse).toThrow(SelectorError);
    expect(parse).toThrow(message);
    expect(parse).toThrow(expect.objectContaining({ position }));
  });
});
