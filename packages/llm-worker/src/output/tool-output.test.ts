import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { leanLimits } from "./output-limits.js";
import { contentOf, isToolOutput, type StoredOutput, ToolOutput } from "./tool-output.js";
import { readToolResult } from "./tool-result.js";

function stored(value: unknown): StoredOutput {
  const output = ToolOutput.from(value);
  if (output.kind !== "stored") throw new Error(`inline: ${output.text.slice(0, 80)}`);
  return output;
}

describe("ToolOutput.from", () => {
  test("F1: the threshold counts bytes", () => {
    const kinds = ["a".repeat(800), "a".repeat(801), "漢".repeat(266), "漢".repeat(267)].map(
      (text) => ToolOutput.from(text).kind,
    );
    expect(kinds).toEqual(["inline", "stored", "inline", "stored"]);
    expect(ToolOutput.from("漢".repeat(266))).toEqual({ kind: "inline", text: "漢".repeat(266) });
  });

  test("takes the threshold from the limits that it is given", () => {
    expect(ToolOutput.from("a".repeat(50), { inlineMaxBytes: 49 }).kind).toBe("stored");
    expect(ToolOutput.from("a".repeat(4096), { inlineMaxBytes: 4096 }).kind).toBe("inline");
  });

  test("F3: a string that is a JSON array is structured, with that very text", () => {
    const records = Array.from({ length: 20_000 }, (_, id) => `{"id":${String(id)},"n":"x"}`);
    const raw = `[${records.join(",")}]`;
    expect(Buffer.byteLength(raw)).toBe(408_891);
    const { summary, content } = stored(raw);
    expect(summary).toBe(
      "json_array | 20000 entries | 408891 bytes\n" +
        "── schema ──\nid: number, n: string\n" +
        '── head ──\n{"id":0,"n":"x"}\n{"id":1,"n":"x"}',
    );
    expect(content).toMatchObject({ type: "structured", raw });
  });

  test("numbers, duplicate keys and the order of keys stay as they were written", () => {
    const raw = `{"b": 12345678901234567890, "b": 1.50, "a": "${"x".repeat(900)}"}`;
    expect(stored(raw).content).toMatchObject({ type: "structured", raw });
  });

  test("F7: what only begins like JSON is text", () => {
    const log = '[INFO] start {"a": 1}\n'.repeat(300);
    expect(stored(log)).toMatchObject({ content: { type: "text", text: log } });
    expect(stored(log).summary).toMatch(/^text \| 300 lines \| 6600 bytes\n/);
    const trailing = `[${"1,".repeat(500)}1] and more]`;
    expect(stored(trailing).content.type).toBe("text");
  });

  test("JSON scalars in a string are text", () => {
    expect(stored(`"${"x".repeat(900)}"`).content.type).toBe("text");
    expect(stored("7".repeat(1200)).content.type).toBe("text");
  });

  test("F5: half a character becomes U+FFFD, inline and stored", () => {
    expect(ToolOutput.from("ab\ud83d cd")).toEqual({ kind: "inline", text: "ab\ufffd cd" });
    const { summary, content } = stored("ab\ud83d cd".repeat(1000));
    expect(content).toEqual({ type: "text", text: "ab\ufffd cd".repeat(1000) });
    expect(summary.isWellFormed()).toBe(true);
    expect(stored(["\ud83d".repeat(900)]).content).toMatchObject({
      raw: `["${"\\ud83d".repeat(900)}"]`,
    });
    expect(ToolOutput.from({ kind: "inline", text: "\udc00" })).toEqual(
      ToolOutput.inline("\ufffd"),
    );
  });

  test.each([
    ["undefined", undefined, ""],
    ["null", null, "null"],
    ["a boolean", false, "false"],
    ["a number", 1.5, "1.5"],
    ["a bigint", 2n ** 64n, "18446744073709551616"],
    ["an object", { a: [1, "x"], b: undefined }, '{"a":[1,"x"]}'],
    ["a bigint in an object", { n: 2n ** 64n }, '{"n":"18446744073709551616"}'],
    ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["an error", new TypeError("no such file"), "no such file"],
    ["an object without JSON", { toJSON: () => undefined }, ""],
    ["bytes", Buffer.from("café"), "café"],
    ["an array buffer", new Uint8Array([104, 105]).buffer, "hi"],
    ["a view of bytes", new DataView(new Uint8Array([104, 105]).buffer, 1), "i"],
    ["empty bytes", new Uint8Array(), ""],
    ["an error of another realm", runInNewContext("new TypeError('no such file')"), "no such file"],
    ["bytes of another realm", runInNewContext("new Uint8Array([104, 105]).buffer"), "hi"],
  ])("%s is inline text", (_name, value, text) => {
    expect(ToolOutput.from(value)).toEqual({ kind: "inline", text });
  });

  test("what cannot be written becomes a text that says so", () => {
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    const throwing = {
      toJSON: () => {
        throw new Error("not today");
      },
    };
    const texts = [circular, throwing, () => 1, Symbol("s")].map((value) => ToolOutput.from(value));
    expect(texts).toEqual([
      { kind: "inline", text: expect.stringMatching(/^\[cannot be written as JSON: .*circular/) },
      { kind: "inline", text: "[cannot be written as JSON: not today]" },
      { kind: "inline", text: "[a function cannot be written as text]" },
      { kind: "inline", text: "[a symbol cannot be written as text]" },
    ]);
  });

  test.each(["kind", "summary", "type"])("so does one whose %s throws when it is read", (name) => {
    const value = Object.defineProperty({}, name, {
      enumerable: true,
      get: () => {
        throw new Error("detached");
      },
    });
    const text = "[cannot be written as JSON: detached]";
    expect(ToolOutput.from(value)).toEqual({ kind: "inline", text });
    expect(readToolResult(value)).toEqual({ type: "value", value });
  });

  test("so does what JSON has no fields of, where it is not simply empty", () => {
    class Row {
      readonly #id = 1;
      get id(): number {
        return this.#id;
      }
    }
    async function* rows(): AsyncGenerator<string> {
      yield "a row";
    }
    const texts = [new Map([["a", 1]]), new Set([1]), new Response("body"), new Row(), rows()].map(
      (value) => ToolOutput.from(value),
    );
    expect(texts).toMatchObject(
      ["Map", "Set", "Response", "Row", "AsyncGenerator"].map((name) => ({
        text: `[a ${name} cannot be written as JSON]`,
      })),
    );
    const empty = [{}, Object.create(null), { toJSON: () => ({}) }, { constructor: 1 }];
    expect(empty.map((value) => ToolOutput.from(value))).toMatchObject(
      ["{}", "{}", "{}", '{"constructor":1}'].map((text) => ({ text })),
    );
  });

  test("so do bytes that were transferred elsewhere, stored ones too", () => {
    const buffer = new ArrayBuffer(2000);
    const bytes = new Uint8Array(buffer);
    const views = [buffer, bytes, new DataView(buffer, 8)];
    structuredClone(buffer, { transfer: [buffer] });
    const text = "[the bytes of a detached ArrayBuffer are gone: return a copy]";
    for (const view of views) {
      expect(ToolOutput.from(view)).toEqual({ kind: "inline", text });
      expect(contentOf(view)).toEqual({ type: "text", text });
    }
    const content = { type: "binary", bytes, mediaType: "image/png" } as const;
    expect(contentOf(content)).toEqual({ type: "text", text });
    expect(ToolOutput.from({ kind: "stored", summary: "rows", content })).toEqual({
      kind: "stored",
      summary: "rows",
      content: { type: "text", text },
    });
  });

  test("bytes that are text are stored as text, JSON as structured", () => {
    expect(stored(Buffer.from("漢".repeat(400))).content).toEqual({
      type: "text",
      text: "漢".repeat(400),
    });
    const raw = JSON.stringify(Array.from({ length: 300 }, (_, id) => ({ id })));
    expect(stored(Buffer.from(raw)).content).toMatchObject({ type: "structured", raw });
  });

  test("a byte order mark stays", () => {
    const bytes = Buffer.from(`\ufeff${"x".repeat(900)}`);
    expect(stored(bytes).content).toEqual({ type: "text", text: `\ufeff${"x".repeat(900)}` });
  });

  test("text in another encoding keeps its bytes and is read as text", () => {
    const bytes = Buffer.from("Gr\u00fc\u00dfe an alle hier im Haus\n".repeat(50), "latin1");
    const { summary, content } = stored(bytes);
    expect(content).toEqual({
      type: "binary",
      bytes,
      mediaType: "text/plain; charset=unknown-8bit",
    });
    expect(summary).toMatch(/^text \| 50 lines \| 1350 bytes \| not valid UTF-8\n── head ──\nGr/);
  });

  test("other bytes are binary, however few, with the type that they begin with", () => {
    const types = [
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]),
      Buffer.from([0xff, 0xd8, 0xff, 0xe0]),
      Buffer.from("GIF89a\u0000"),
      Buffer.from("RIFF\u0000\u0000\u0000\u0000WEBP"),
      Buffer.from("%PDF-1.7\u0000"),
      Buffer.from("PK\u0003\u0004\u0000"),
      Buffer.from([0x1f, 0x8b, 0x08, 0]),
      Buffer.from([0, 1, 2]),
    ].map((bytes) => stored(bytes).summary);
    expect(types).toEqual([
      "binary image/png | 9 bytes",
      "binary image/jpeg | 4 bytes",
      "binary image/gif | 7 bytes",
      "binary image/webp | 12 bytes",
      "binary application/pdf | 9 bytes",
      "binary application/zip | 5 bytes",
      "binary application/gzip | 4 bytes",
      "binary application/octet-stream | 3 bytes",
    ]);
  });

  test("an explicit output is taken as it is", () => {
    const inline = ToolOutput.inline("x".repeat(5000));
    const explicit = ToolOutput.stored("three rows", { type: "text", text: "a\nb\nc" });
    expect(ToolOutput.from(inline)).toEqual(inline);
    expect(ToolOutput.from(explicit)).toEqual(explicit);
  });

  test("never throws, and never gives anything but a well-formed output", () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true }), (value) => {
        const output = ToolOutput.from(value, { inlineMaxBytes: 20 });
        expect(isToolOutput(output)).toBe(true);
        const text = output.kind === "inline" ? output.text : output.summary;
        expect(text.isWellFormed()).toBe(true);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(leanLimits.summaryMaxBytes);
      }),
    );
  });
});

test("isToolOutput knows an explicit output from JSON that resembles one", () => {
  expect(isToolOutput({ kind: "inline", text: "a" })).toBe(true);
  expect(isToolOutput({ kind: "inline" })).toBe(false);
  expect(isToolOutput({ kind: "stored", summary: "a", content: "b" })).toBe(false);
  expect(isToolOutput({ kind: "stored", summary: "a", content: { type: "binary" } })).toBe(false);
  expect(isToolOutput(null)).toBe(false);
});
