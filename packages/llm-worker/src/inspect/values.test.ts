import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { body, expectAnswerForm, read } from "../../test/support/answers.js";
import { BLOB_ID, byteStore } from "../../test/support/byte-store.js";
import { walk } from "../../test/support/walk.js";

describe("key:", () => {
  const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, `v${i}`]));

  test.each([undefined, 2])("F8: finds one of 10,000 keys (indent %s)", async (indent) => {
    const store = byteStore(JSON.stringify(wide, undefined, indent));
    const first = await read(store);
    expect(first.header).toContain("json_object | 10000 keys | bytes 0-");
    const answer = await read(store, "key:k9876");
    expect(answer.header).toBe(
      `[blob:${BLOB_ID}] string | lines 1-1 of 1 | bytes 0-5 of 5 | complete`,
    );
    expect(body(answer)).toBe("v9876");
  });

  test("gives a value as written, and a string as the text it stands for", async () => {
    const raw = String.raw`{"n": 12345678901234567890.10, "a": [1, "\u00e9"], "s": "a\nb\t\"\u00e9\ud83d\ude00", "t": true, "\u006b": {}}`;
    const store = byteStore(raw);
    const expected: Record<string, string> = {
      "key:n": "json_value | bytes 0-23 of 23|12345678901234567890.10",
      "key:a": String.raw`json_array | 2 entries | bytes 0-13 of 13|[1, "\u00e9"]`,
      "key:s": 'string | lines 1-2 of 2 | bytes 0-11 of 11|a\nb\t"é😀',
      "key:t": "json_value | bytes 0-4 of 4|true",
      "key:k": "json_object | 0 keys | bytes 0-2 of 2|{}",
    };
    for (const [selector, shown] of Object.entries(expected)) {
      const answer = await read(store, selector);
      const [facts = "", value = ""] = shown.split(/\|(?! )/);
      expect(answer.header).toBe(`[blob:${BLOB_ID}] ${facts} | complete`);
      expect(body(answer)).toBe(value);
    }
  });

  test("the last of several equal keys counts", async () => {
    expect(body(await read(byteStore('{"a":1,"b":2,"a":3}'), "key:a"))).toBe("3");
  });

  test("leads to lines, bytes and finds of a string", async () => {
    const stdout = Array.from({ length: 9000 }, (_, i) => `row ${i + 1} é`).join("\n");
    const store = byteStore(JSON.stringify({ exit: 0, stdout }));
    const lines = await read(store, "key:stdout | lines:7000-7001");
    expect(lines.header).toContain("] string | lines 7000-7001 of 9000 | bytes ");
    expect(body(lines)).toBe("row 7000 é\nrow 7001 é\n");
    const { bytes, answers } = await walk(store, BLOB_ID, { selector: "key:stdout" });
    expect(bytes.toString()).toBe(stdout);
    expect(answers[0]?.next).toMatch(/^key:stdout \| lines:\d+-9000$/);
    const found = await read(store, "key:stdout | find:row 8999 ");
    const place = /byte (\d+)/.exec(body(found))?.[1];
    expect(body(found)).toBe(`line 8999 (byte ${place}): row 8999 é`);
    expect(body(await read(store, `key:stdout | bytes:${place}-${Number(place) + 8}`))).toBe(
      "row 8999",
    );
  });

  test("any string is read as JSON.parse reads it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), fc.boolean(), async (text, escaped) => {
        const literal = escaped ? escapeAll(text) : JSON.stringify(text);
        const answer = await read(byteStore(`{"s":${literal}}`), "key:s");
        expect(Buffer.from(answer.payload).toString()).toBe(text.toWellFormed());
      }),
    );
  });

  test("a missing key is answered with those that are near, or the first", async () => {
    const store = byteStore('{"createdAt":1,"user|name":2,"items":[]}');
    const near = await read(store, "key:created_at");
    expect(near.code).toBe("missing_key");
    expect(near.text).toContain("\nKeys, near: key:createdAt\n");
    const far = await read(store, "key:zzz");
    expect(far.text).toContain('Keys, the first: key:createdAt, key:"user|name", key:items');
    expect((await read(store, "key:items | key:a")).text).toContain("slice:0..1 | key:NAME");
  });

  test("own keys only, whatever they are called", async () => {
    const store = byteStore('{"__proto__":{"x":1},"":"empty"}');
    expect(body(await read(store, "key:__proto__ | key:x"))).toBe("1");
    expect(body(await read(store, 'key:""'))).toBe("empty");
    expect((await read(store, "key:toString")).code).toBe("missing_key");
  });
});

describe("steps in a row", () => {
  const rows = Array.from({ length: 300 }, (_, i) => ({
    id: i,
    log: `a${i}\nb${i}\n`,
    tags: [i, [i]],
  }));
  const store = byteStore(JSON.stringify({ results: rows, note: "none" }, undefined, 1));

  test.each<[string, unknown]>([
    ["key:results | slice:7..8 | key:id", 7],
    ["key:results | slice:7 | key:tags | slice:1 | slice:0..1", [7]],
    ["key:results | slice:100..200 | slice:50..51 | key:id", 150],
    ["key:results | slice:298.. | slice:1..2", [rows[299]]],
    ["key:results | slice:7..8 | key:log | lines:2", "b7\n"],
  ])("%s", async (selector, expected) => {
    const shown = body(await read(store, selector));
    expect(typeof expected === "string" ? shown : JSON.parse(shown)).toEqual(expected);
  });

  test.each([
    ["bytes:0-100 | key:note", "wrong_kind"],
    ["key:results | slice:0..2 | key:id", "wrong_kind"],
    ["key:results | slice:300..", "out_of_range"],
    ["key:results | slice:900..901 | key:id", "out_of_range"],
    ["key:note | slice:0..1", "wrong_kind"],
    ["key:results | lines:1-2", "wrong_kind"],
  ])("%s is refused", async (selector, code) => {
    const answer = await read(store, selector);
    expectAnswerForm(answer);
    expect(answer.code).toBe(code);
    expect(answer.text).toContain("This is ");
  });

  test.each([
    "slice:1..",
    "slice:1..9 | bytes:0-",
    "slice:1..9 | slice:0..",
    "slice:0.. | slice:1..",
  ])("what follows %s goes on with the slice, though it has only one entry", async (selector) => {
    const rest = ["b".repeat(5000)];
    for (const raw of [JSON.stringify(["a", rest]), `["a"]\n${JSON.stringify(rest)}\n`]) {
      const options = { selector, maxAnswerBytes: 1024 };
      const { bytes, answers } = await walk(byteStore(raw), BLOB_ID, options);
      expect(answers.length).toBeGreaterThan(4);
      const found: unknown = JSON.parse(bytes.toString());
      expect([[rest], rest]).toContainEqual(found);
      expect(answers.map(({ isError }) => isError)).not.toContain(true);
    }
  });

  test("bytes count from the beginning of the value", async () => {
    const whole = body(await read(store, "key:results | bytes:0-"));
    expect(whole.startsWith("[\n  {")).toBe(true);
    const { bytes } = await walk(store, BLOB_ID, { selector: "key:results" });
    expect(JSON.parse(bytes.toString())).toEqual(rows);
  });
});

function escapeAll(text: string): string {
  const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("")}"`;
}
