import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scanJson } from "./json-scan.js";

/** Whether `JSON.parse` takes the text and makes an array or object of it. */
function parsesToContainer(text: string): boolean {
  return parsedLength(text) !== undefined;
}

/** Elements or keys of what `JSON.parse` makes of the text, if that is an array or object. */
function parsedLength(text: string): number | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? Object.keys(value).length : undefined;
  } catch {
    return undefined;
  }
}

describe("scanJson", () => {
  test("counts all members and describes the first ones", () => {
    const scan = scanJson('{"a": "x\\n\\u00e9", "b": [1, [2, 3]], "a": {"c": {}}, "d": -1.5e3}', 3);
    expect(scan).toMatchObject({ root: "object", count: 4, isComplete: true });
    expect(scan?.entries.map(({ key, type, size }) => [key, type, size])).toEqual([
      ["a", "string", 3],
      ["b", "array", 2],
      ["a", "object", 1],
    ]);
    expect(scan?.types).toEqual(["string", "array", "object", "number"]);
  });

  test("knows names that an object would treat in a special way", () => {
    const scan = scanJson('{"__proto__": 1, "10": true, "\\u006b": null}', 9);
    expect(scan?.entries.map((entry) => entry.key)).toEqual(["__proto__", "10", "k"]);
  });

  test("says where each element begins and ends", () => {
    const text = ' [ {"a": 1} , "x" ] ';
    const spans = scanJson(text, 9)?.entries.map(({ start, end }) => text.slice(start, end));
    expect(spans).toEqual(['{"a": 1}', '"x"']);
  });

  test.each([
    "",
    "null",
    "1",
    '"x"',
    "[1,]",
    "[,1]",
    "[1 2]",
    "{1:2}",
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    "[01]",
    "[1.]",
    "[.5]",
    "[+1]",
    "[1e]",
    "[-]",
    "[NaN]",
    "[tru]",
    "['a']",
    '["\n"]',
    '["\\x"]',
    '["\\u12g4"]',
    "[1]]",
    "[1] x",
    "[1",
    "[}",
    "\u00a0[]",
    "\ufeff[]",
    "[\u2028]",
  ])("refuses %j, as JSON.parse does or because it is no container", (text) => {
    expect(scanJson(text, 9)).toBeUndefined();
    expect(parsesToContainer(text)).toBe(false);
  });

  test("sixty thousand levels need no stack", () => {
    const text = "[".repeat(60_000) + "]".repeat(60_000);
    expect(scanJson(text, 1)).toMatchObject({ count: 1, entries: [{ type: "array", size: 1 }] });
  });

  test("of a beginning it says what it has seen, and that it has not seen the end", () => {
    const scan = scanJson('[{"a":1},{"b":[1,2', 9, "prefix");
    expect(scan).toMatchObject({ count: 2, isComplete: false });
    expect(scan?.entries[1]).toMatchObject({ type: "object", size: 1, isComplete: false });
    expect(scanJson('{"k":"abc\\u00', 9, "prefix")?.entries[0]).toMatchObject({
      type: "string",
      isComplete: false,
    });
  });

  test("every beginning of a JSON text is accepted as one", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(fc.json({ maxDepth: 1 })),
          fc.dictionary(fc.string(), fc.json({ maxDepth: 1 })),
        ),
        (value) => {
          const text = JSON.stringify(value, null, 1);
          for (let end = 1; end <= text.length; end += 1) {
            expect(scanJson(text.slice(0, end), 4, "prefix")).toBeDefined();
          }
        },
      ),
      { numRuns: 20 },
    );
  });

  test("agrees with JSON.parse on JSON and on damaged JSON", () => {
    const damage = fc.record({
      at: fc.nat(),
      text: fc.constantFrom("", "]", "}", ",", '"', "0", "\\", "e", ":"),
    });
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.option(damage), (json, damaged) => {
        const at = damaged === null ? 0 : damaged.at % (json.length + 1);
        const text =
          damaged === null ? json : json.slice(0, at) + damaged.text + json.slice(at + 1);
        const scan = scanJson(text, 1000);
        const keys = new Set(scan?.entries.map((entry, index) => entry.key ?? String(index)));
        expect(scan && keys.size).toBe(parsedLength(text));
      }),
      { numRuns: 2000 },
    );
  });
});
