import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { jsonWithFields, stringOrNumber } from "../../test/support/json-with-fields.js";
import { fieldTree, findFields, type JsonPath } from "./json-fields.js";
import { parseJson } from "./read-json.js";
import { RepeatingJson } from "./repeating-json.js";

vi.mock(import("./json-fields.js"), { spy: true });

afterEach(() => {
  vi.clearAllMocks();
});

const KEPT: readonly JsonPath[] = [["a"], ["b", "a"], ["c", 0, "a"]];
const SEEN: readonly JsonPath[] = [["c"], ["a", "b"]];
const UNSEEN: readonly JsonPath[] = [["b"], ["c", 1]];
const FIELDS = fieldTree({ kept: KEPT, seen: SEEN, unseen: UNSEEN });

/** The value without what nobody looks at, where that is a string or a number. */
function looked(value: unknown): unknown {
  const copy = structuredClone(value);
  for (const path of UNSEEN) {
    const parent = path.slice(0, -1).reduce<unknown>((inner, key) => fieldOf(inner, key), copy);
    const key = path.at(-1) ?? "";
    if (["string", "number", "undefined"].includes(typeof fieldOf(parent, key))) {
      if (typeof parent === "object" && parent !== null) Reflect.set(parent, key, undefined);
    }
  }
  return copy;
}

function fieldOf(value: unknown, key: string | number): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value) !== (typeof key === "number")) return undefined;
  return (value as Record<string | number, unknown>)[key];
}

/** What one stream of these texts says. */
function readInTurn(texts: readonly string[]): unknown[] {
  const json = new RepeatingJson(FIELDS);
  return texts.map((text) => looked(json.parse(text)));
}

/** What each of these texts says. */
function readEach(texts: readonly string[]): unknown[] {
  return texts.map((text) => looked(parseJson(text)));
}

/** How to make one text of another: where, how much is taken out, and what is put in. */
const edit = fc.record({
  place: fc.double({ min: 0, max: 1, noNaN: true }),
  taken: fc.nat(3),
  put: fc.oneof(
    fc.constantFrom("", '"', "\\", "\\u00", "0", "-", ".", "e5", ",", ":", "{", "}", "[", "]"),
    fc.constantFrom(" ", "\n", "\t", "\u0000", "\u001F", "\u007F", "\uD83D", "é", '"a":1,'),
    stringOrNumber,
  ),
});
type Edit = typeof edit extends fc.Arbitrary<infer One> ? One : never;

function edited(text: string, { place, taken, put }: Edit): string {
  const at = Math.floor(place * text.length);
  return text.slice(0, at) + put + text.slice(at + taken);
}

/** The text with other scalars in its varying fields, as the next event of a stream has. */
function varied(text: string, scalars: readonly string[]): string {
  const fields = findFields(text, parseJson(text), FIELDS) ?? [];
  let [result, end] = ["", 0];
  for (const [place, field] of fields.entries()) {
    result += text.slice(end, field.start) + (scalars[place % scalars.length] ?? "");
    end = field.end;
  }
  return result + text.slice(end);
}

/** A document with fields of all uses, among whatever else. */
const event: fc.Arbitrary<string> = fc
  .tuple(jsonWithFields, stringOrNumber, jsonWithFields, stringOrNumber, stringOrNumber)
  .map(([x, a, y, b, c]) => `{"x":${x}, "a": ${a} ,"c":[{"y":${y},"a":${b}},${c}],"b":${c}}`);

describe("every text says what JSON.parse says that it says", () => {
  test("whatever the document, and whatever became of it", () => {
    fc.assert(
      fc.property(
        fc.oneof(event, jsonWithFields),
        fc.array(
          fc.oneof(
            fc.record({ scalars: fc.array(stringOrNumber, { minLength: 1, maxLength: 4 }) }),
            fc.record({ edits: fc.array(edit, { minLength: 1, maxLength: 2 }) }),
          ),
          { maxLength: 12 },
        ),
        (first, changes) => {
          const texts = [first];
          let text = first;
          for (const change of changes) {
            if ("scalars" in change) {
              text = varied(text, change.scalars);
            }
            // What is wrong comes once, and the stream goes on.
            if ("edits" in change) texts.push(change.edits.reduce(edited, text));
            texts.push(text);
          }
          expect(readInTurn(texts)).toStrictEqual(readEach(texts));
        },
      ),
      { numRuns: 1000 },
    );
  });

  const line = (a: string, b = "1"): string => `{"x":0,"b":${b},"a":${a},"y":[{}]}`;

  test.each([
    ["no string's end", line('"x')],
    ["a control character", line('"x\ny"')],
    ["an unknown escape", line(String.raw`"\x41"`)],
    ["half an escape", line(String.raw`"\u00"`)],
    ["another type", line("1")],
    ["null", line("null")],
    ["a leading zero", line('"x"', "01")],
    ["a bare sign", line('"x"', "-")],
    ["a bare point", line('"x"', "1.")],
    ["a bare exponent", line('"x"', "1e")],
    ["a number and more", line('"x"', "1 2")],
    ["a string and more", line('"x""y"')],
    ["another member", line('"x","a":"z"')],
    ["an end too many", `${line('"x"')}}`],
    ["nothing", ""],
    ["its beginning", '{"x":0,"b":1,"a":"'],
    ["its end", '","y":[{}]}'],
  ])("also where a field has %s", (_name, text) => {
    const texts = [line('"a"'), line('"b"'), text, line('"c"')];
    expect(readInTurn(texts)).toStrictEqual(readEach(texts));
  });

  test.each([
    ["escapes", String.raw`"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude80"`],
    ["half a character", String.raw`"\ud83d"`],
    ["other characters", '"\u007F\u2028天気 🚀"'],
    ["nothing in it", '""'],
    ["a long string", JSON.stringify("long enough to be a slice of its text")],
    ["a very long string", JSON.stringify("\n".repeat(100_000))],
  ])("also where a field has %s", (_name, scalar) => {
    const texts = [line('"a"'), line(scalar), line('"b"')];
    expect(readInTurn(texts)).toStrictEqual(readEach(texts));
  });

  test("also numbers to the last digit", () => {
    const json = new RepeatingJson(fieldTree({ kept: [["a"]] }));
    for (const number of ["1", "-0", "1e5", "0.1", "-1.50E-7", "1e400", "12345678901234567890"]) {
      const text = `{"a":${number}}`;
      expect(json.parse(text)).toStrictEqual(JSON.parse(text));
    }
  });
});

/** Characters that `JSON.parse` was given while `work` ran. */
function parsedCharacters(work: () => void): number {
  const parse = vi.spyOn(JSON, "parse");
  work();
  const characters = parse.mock.calls.reduce((sum, [text]) => sum + text.length, 0);
  parse.mockRestore();
  return characters;
}

test("a document of tens of millions of characters is read as any other", () => {
  const json = new RepeatingJson(fieldTree({ kept: [["a"]] }));
  const texts = ["x", "\\n".repeat(16_000_000), "y"].map((a) => `{"a":"${a}"}`);
  for (const text of texts) {
    // Not by `expect`, which would print them.
    const read = json.parse(text) as { readonly a: string };
    expect(read.a === (JSON.parse(text) as typeof read).a).toBe(true);
  }
});

describe("work", () => {
  const event = (type: string, a: string): string =>
    JSON.stringify({ type, filler: "f".repeat(200), a, b: a.length });

  test("of documents that repeat is not parsing", () => {
    const json = new RepeatingJson(FIELDS);
    const characters = parsedCharacters(() => {
      for (let n = 0; n < 10_000; n++) json.parse(event("delta", `word ${n}`));
    });
    expect(characters).toBeLessThan(1000);
    expect(findFields).toHaveBeenCalledTimes(1);
  });

  test("of documents that repeat is not parsing either where others stand between them", () => {
    const json = new RepeatingJson(FIELDS);
    const characters = parsedCharacters(() => {
      for (let n = 0; n < 10_000; n++) {
        json.parse(n % 100 === 0 ? '{"type":"ping"}' : event("delta", `word ${n}`));
      }
    });
    expect(characters).toBeLessThan(5000);
    expect(findFields).toHaveBeenCalledTimes(1);
  });

  test("of learning is little where nothing repeats", () => {
    const json = new RepeatingJson(FIELDS);
    for (let n = 0; n < 10_000; n++) json.parse(event(`type ${n}`, "x"));
    expect(vi.mocked(findFields).mock.calls.length).toBeLessThan(10_000 / 32 + 10);
  });

  test("of learning is little where everything repeats once", () => {
    const json = new RepeatingJson(FIELDS);
    for (let n = 0; n < 10_000; n++) json.parse(event(`type ${n >> 1}`, "x"));
    expect(vi.mocked(findFields).mock.calls.length).toBeLessThan(10_000 / 7 + 10);
  });

  test("is learning again when a long stream begins to repeat late", () => {
    const json = new RepeatingJson(FIELDS);
    for (let n = 0; n < 1000; n++) json.parse(event(`type ${n}`, "x"));
    const characters = parsedCharacters(() => {
      for (let n = 0; n < 1000; n++) json.parse(event("delta", `word ${n}`));
    });
    expect(characters).toBeLessThan(33 * 300);
  });

  test("of documents without the fields, or of long ones, is parsing alone", () => {
    const json = new RepeatingJson(FIELDS);
    const long = event("delta", "x".repeat(20_000));
    for (const text of ['{"type":"ping"}', '{"b":1}', "[]", "null", "x", long]) {
      for (let n = 0; n < 20; n++) json.parse(text);
    }
    expect(findFields).not.toHaveBeenCalled();
  });
});

test("a value is that of the last text, which those who keep parts of it have to know", () => {
  const json = new RepeatingJson(fieldTree({ kept: [["a"]], unseen: [["n"]] }));
  const first = json.parse('{"a":"x","n":1}');
  expect(first).toStrictEqual({ a: "x", n: 1 });
  expect(json.parse('{"a":"y","n":2}')).toBe(first);
  expect(first).toStrictEqual({ a: "y", n: undefined });
});
