import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Content } from "../blob/content.js";
import { structuredContent } from "../blob/content.js";
import { leanLimits } from "./output-limits.js";
import {
  blobRef,
  firstLine,
  MAX_FIRST_LINE_BYTES,
  summarizeContent,
  UUID_PREFIX_BYTES,
  withBlobId,
} from "./summary.js";

const ID = "0190a000-0000-7000-8000-000000000001";

function textSummary(text: string, limits = leanLimits): string {
  return summarizeContent({ type: "text", text }, limits);
}

function jsonSummary(raw: string): string {
  return summarizeContent(structuredContent(raw));
}

function numbered(count: number, width: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    `line ${String(index + 1)} `.padEnd(width, "."),
  );
}

describe("the summary of a text", () => {
  test("has exact totals, the first five and the last three lines", () => {
    const text = numbered(1204, 20).join("\n") + "\n";
    expect(withBlobId(ID, textSummary(text))).toBe(
      [
        `[blob:${ID}] text | 1204 lines | 25284 bytes`,
        "── head ──",
        ...numbered(5, 20),
        "── tail ──",
        ...numbered(1204, 20).slice(-3),
      ].join("\n"),
    );
  });

  test("F2: shows both ends of one huge line, cut and marked as cut", () => {
    const summary = textSummary("a".repeat(500_000) + "b".repeat(548_576));
    expect(summary).toMatch(
      /^text \| 1 line \| 1048576 bytes\n── head ──\na{100,}…\n── tail ──\n…b{100,}$/,
    );
    expect(UUID_PREFIX_BYTES + Buffer.byteLength(summary)).toBeLessThanOrEqual(400);
  });

  test("a giant line first leaves room for the tail, and a giant line last for the head", () => {
    const giant = "x".repeat(5000);
    expect(textSummary(`${giant}\nb\nc\nd\ne\nf\ng\nh\nlast`)).toMatch(
      /x…\n── tail ──\ng\nh\nlast$/,
    );
    expect(textSummary(`first\nb\nc\nd\ne\nf\ng\nh\n${giant}`)).toMatch(
      /── head ──\nfirst\nb\nc\nd\ne\n── tail ──\n…x+$/,
    );
  });

  test("no line is in both sections, and no section is empty", () => {
    const lines = (count: number): string => numbered(count, 10).join("\n");
    expect(textSummary(lines(5))).toBe(`text | 5 lines | 54 bytes\n── head ──\n${lines(5)}`);
    expect(textSummary(lines(6))).toMatch(/line 5 \.\.\.\n── tail ──\nline 6 \.\.\.$/);
    expect(textSummary("")).toBe("text | 0 lines | 0 bytes");
    expect(textSummary("\n".repeat(5000))).toBe("text | 5000 lines | 5000 bytes");
    expect(textSummary("\n".repeat(5000) + "end")).toBe(
      "text | 5001 lines | 5003 bytes\n── tail ──\n\n\nend",
    );
    expect(textSummary(lines(30), { ...leanLimits, headLines: 0 })).not.toContain("head");
    expect(textSummary(lines(30), { ...leanLimits, tailLines: 0 })).not.toContain("tail");
  });

  test.each([
    ["", 0],
    ["a", 1],
    ["a\n", 1],
    ["a\nb", 2],
    ["a\r\nb\r\n", 2],
    ["\n", 1],
    ["a\rb", 1],
    ["a\u2028b\u0085c\vd\fe", 1],
  ])("counts the lines of %j as an editor does", (text, count) => {
    expect(textSummary(text)).toMatch(new RegExp(`^text \\| ${String(count)} lines? \\|`));
  });

  test("shows line ends as newlines and everything else as it is", () => {
    const summary = textSummary("a\r\nb\rc\u001b[31m\u0000\r\n\u2028d");
    expect(summary).toBe("text | 3 lines | 18 bytes\n── head ──\na\nb\rc\u001b[31m\u0000\n\u2028d");
  });

  test("F4: a cut never breaks a character", () => {
    const family = "👨‍👩‍👧‍👦";
    for (let k = 0; k <= 16; k += 1) {
      for (const character of ["😀", family, "🇯🇵", "e\u0301"]) {
        const text = ("x".repeat(400 - k) + character.repeat(500) + "\n").repeat(5);
        const summary = textSummary(text);
        expect(summary.isWellFormed()).toBe(true);
        expect(summary).not.toContain("\ufffd");
        expect(UUID_PREFIX_BYTES + Buffer.byteLength(summary)).toBeLessThanOrEqual(400);
        const tail = summary.slice(summary.indexOf("── tail ──\n…") + "── tail ──\n…".length);
        expect(tail.replaceAll(character, "")).toBe("");
      }
    }
  });

  test("F6: text is data, not a template", () => {
    const line = "$& $' $$5 %s {0} {content} \\1 ${x}";
    const summary = textSummary(`${line}\n`.repeat(200));
    expect(summary.split("\n").filter((shown) => shown === line)).toHaveLength(8);
  });

  test("a note comes below the first line, in one line and at most half of the room", () => {
    const text = numbered(100, 20).join("\n");
    const note = "incomplete: the tool\nfailed ".repeat(100);
    const [, second, third] = summarizeContent({ type: "text", text }, leanLimits, { note }).split(
      "\n",
    );
    expect(second).toMatch(/^incomplete: the tool failed .*…$/);
    expect(third).toBe("── head ──");
  });

  test("never over the limit, always well-formed, each cut marked, lines never twice", () => {
    const line = fc.oneof(fc.string({ unit: "grapheme", maxLength: 200 }), fc.string());
    const text = fc
      .array(line, { maxLength: 12 })
      .chain((lines) => fc.constantFrom("\n", "\r\n").map((end) => lines.join(end)));
    const limits = fc.record({
      summaryMaxBytes: fc.integer({ min: 160, max: 900 }),
      headLines: fc.nat({ max: 6 }),
      tailLines: fc.nat({ max: 6 }),
    });
    fc.assert(
      fc.property(text, limits, (source, { summaryMaxBytes, headLines, tailLines }) => {
        const whole = source.toWellFormed();
        const summary = textSummary(whole, {
          ...leanLimits,
          summaryMaxBytes,
          headLines,
          tailLines,
        });
        expect(UUID_PREFIX_BYTES + Buffer.byteLength(summary)).toBeLessThanOrEqual(summaryMaxBytes);
        expect(summary.isWellFormed()).toBe(true);
        const [, head = "", tail = ""] =
          /^[^\n]*(?:\n── head ──\n(.*?))?(?:\n── tail ──\n(.*))?$/s.exec(summary) ?? [];
        const shown = head.replace(/…$/, "").length + tail.replace(/^…/, "").length;
        expect(shown).toBeLessThanOrEqual(whole.length);
        const normal = whole.replaceAll("\r\n", "\n");
        expect(normal.startsWith(head.replace(/…$/, ""))).toBe(true);
        expect(normal.replace(/\n$/, "").endsWith(tail.replace(/^…/, ""))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe("the summary of an array", () => {
  test.each([
    ["[1,2,3]", "number", "1\n2"],
    ['["a",null,{"b":1}]', "string | null | object", '"a"\nnull'],
    ["[[1, 2],  [ ]]", "array", "[1,2]\n[]"],
    ["[{}]", "object", "{}"],
    [
      '[{"a b": "x  y",\n "c": {"d": [ ]}}]',
      '"a b": string, c: object',
      '{"a b":"x  y","c":{"d":[]}}',
    ],
  ])("%s", (raw, schema, head) => {
    expect(jsonSummary(raw).split("\n── schema ──\n")[1]).toBe(`${schema}\n── head ──\n${head}`);
  });

  test("an empty one has no sections, whatever white space is around", () => {
    expect(jsonSummary(`[${" ".repeat(1500)}]`)).toBe("json_array | 0 entries | 1502 bytes");
    expect(jsonSummary("[7]")).toMatch(/^json_array \| 1 entry \| 3 bytes\n/);
  });

  test("a giant element leaves room for the other, and many keys for the head", () => {
    const giant = jsonSummary(`[{"a":"${"x".repeat(500_000)}"},{"a":"y"}]`);
    expect(giant).toMatch(/\n── head ──\n\{"a":"x+…\n\{"a":"y"\}$/);
    const wide = Object.fromEntries(numbered(500, 12).map((name) => [name, 1]));
    const summary = jsonSummary(JSON.stringify([wide, wide]));
    expect(summary).toMatch(
      /── schema ──\n"line 1 \.\.\.\.\.": number, .*, … \+49\d more\n── head ──\n\{.*…\n\{.*…$/,
    );
    expect(UUID_PREFIX_BYTES + Buffer.byteLength(summary)).toBeLessThanOrEqual(400);
  });
});

describe("the summary of an object", () => {
  test("lists keys with types and sizes", () => {
    const raw = JSON.stringify({
      name: "twelve chars",
      results: Array.from({ length: 120 }, () => ({ text: "some result" })),
      meta: { a: 1, b: 2, c: 3, d: 4 },
      total: 120,
      next: null,
      isLast: true,
    });
    expect(jsonSummary(raw)).toBe(
      `json_object | 6 keys | ${String(raw.length)} bytes\n── keys ──\n` +
        "name: string(12), results: array(120), meta: object(4), total: number, next: null, isLast: boolean",
    );
  });

  test("F8: of 10,000 keys it lists a few and says how many are not listed", () => {
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${String(i)}`, i]));
    const summary = jsonSummary(JSON.stringify(wide));
    const [, listed, hidden] =
      /^json_object \| 10000 keys \| \d+ bytes\n── keys ──\n(k0: number, .*), … \+(\d+) more$/.exec(
        summary,
      ) ?? [];
    expect(listed?.split(", ").length).toBe(10_000 - Number(hidden));
    expect(UUID_PREFIX_BYTES + Buffer.byteLength(summary)).toBeLessThanOrEqual(400);
  });

  test("names that could be misread are quoted, long ones cut, doubles and special ones listed", () => {
    const raw = `{"a, b": 1, "c\\nd": 2, "": 3, "__proto__": {}, "x": 1, "x": 2, "漢字": "\\u00e9", "${"k".repeat(900)}": 0}`;
    expect(jsonSummary(raw).split("── keys ──\n")[1]).toBe(
      '"a, b": number, "c\\nd": number, "": number, __proto__: object(0), x: number, x: number, ' +
        `漢字: string(1), ${"k".repeat(64)}…: number`,
    );
  });

  test("nothing overflows at 60,000 levels", () => {
    const deep = '{"a":'.repeat(60_000) + "1" + "}".repeat(60_000);
    expect(jsonSummary(deep)).toMatch(/\n── keys ──\na: object\(1\)$/);
  });
});

test("any JSON has a summary within the limit, of one line a fact", () => {
  fc.assert(
    fc.property(
      fc.json({ maxDepth: 3 }),
      fc.integer({ min: 160, max: 600 }),
      (raw, summaryMaxBytes) => {
        const summary = summarizeContent(structuredContent(raw), {
          ...leanLimits,
          summaryMaxBytes,
        });
        expect(UUID_PREFIX_BYTES + Buffer.byteLength(summary)).toBeLessThanOrEqual(summaryMaxBytes);
        expect(summary.isWellFormed()).toBe(true);
        expect(summary.split("\n").length).toBeLessThanOrEqual(6);
      },
    ),
    { numRuns: 1000 },
  );
});

test("any other JSON is shown like a text of one line", () => {
  expect(jsonSummary('"abc"')).toBe('json_value | 5 bytes\n── head ──\n"abc"');
  expect(jsonSummary("[1,")).toBe("text | 1 line | 3 bytes\n── head ──\n[1,");
});

test("binary content has a first line only, whatever its media type holds", () => {
  const binary = (mediaType: string): Content => ({
    type: "binary",
    bytes: Buffer.alloc(3),
    mediaType,
  });
  expect(summarizeContent(binary("image/png"))).toBe("binary image/png | 3 bytes");
  expect(summarizeContent(binary("x\n── head ──\ny"))).not.toContain("\n");
});

test("the first line of anything has at most so many bytes", () => {
  const most = Number.MAX_SAFE_INTEGER;
  const facts = { byteCount: most, lineCount: most, entryCount: most, keyCount: most };
  for (const kind of ["text", "json_array", "json_object", "json_value", "binary"] as const) {
    const stat = { kind, ...facts, mediaType: "漢".repeat(99) + "x".repeat(99), validUtf8: false };
    expect(Buffer.byteLength(firstLine(stat))).toBeLessThanOrEqual(MAX_FIRST_LINE_BYTES);
  }
});

test("a reference says how many lines, entries or keys there are, where there are any", () => {
  const stat = { byteCount: 9, mediaType: "" };
  expect(blobRef(ID, { ...stat, kind: "text", lineCount: 2 })).toEqual({
    id: ID,
    kind: "text",
    byteCount: 9,
    count: 2,
  });
  expect(blobRef(ID, { ...stat, kind: "binary" })).toEqual({
    id: ID,
    kind: "binary",
    byteCount: 9,
  });
});
