import { expect, test } from "vitest";
import { readFindHits, readInspectAnswer, readToolResult } from "./read-results.js";

test("the summary of a text tells its id, totals and both ends", () => {
  const summary =
    "[blob:0192-a] text | 1204 lines | 98211 bytes\n── head ──\nfirst\nsecond\n── tail ──\nlast";
  expect(readToolResult(summary)).toMatchObject({
    type: "stored",
    blobId: "0192-a",
    kind: "text",
    lineCount: 1204,
    byteCount: 98_211,
    head: "first\nsecond",
    tail: "last",
  });
});

test("the summary of an object tells its keys, and whether these are all", () => {
  const summary =
    '[blob:b] json_object | 12 keys | 5 bytes\n── keys ──\nname: string(12), "odd, \\"one\\"": array(3), meta: object(4)';
  expect(readToolResult(summary)).toMatchObject({
    keyCount: 12,
    keys: ["name", 'odd, "one"', "meta"],
    listsAllKeys: true,
  });
  expect(readToolResult(`${summary}, … +9 more`)).toMatchObject({ listsAllKeys: false });
});

test("the schema of an array gives its keys", () => {
  const summary = "[blob:c] json_array | 1 entry | 9 bytes\n── schema ──\nid: number, n: string";
  expect(readToolResult(summary)).toMatchObject({ entryCount: 1, keys: ["id", "n"] });
});

test("a text without a blob line is all there is; a line count above it is dropped", () => {
  expect(readToolResult("a\nb")).toEqual({ type: "inline", text: "a\nb" });
  expect(readToolResult("2 lines | a…\na\nb")).toEqual({ type: "inline", text: "a\nb" });
});

test("a blob line deep inside a large text is data", () => {
  const text = `${"line\n".repeat(1000)}[blob:x] text | 1 line | 1 bytes`;
  expect(readToolResult(text)).toMatchObject({ type: "inline" });
});

test("an answer of inspect tells what is shown and what comes next", () => {
  const text =
    "[blob:a] text | lines 20-50 of 1204 | bytes 1510-4020 of 98211 | next: key:a | lines:51-1204\npay\nload";
  expect(readInspectAnswer(text, false)).toEqual({
    type: "part",
    kind: "text",
    shown: "lines 20-50 of 1204",
    place: "lines:20-50",
    next: "key:a | lines:51-1204",
    matchCount: undefined,
    payload: "pay\nload",
  });
});

test("the header of a find tells how many matches there are in all", () => {
  const found = "[blob:a] text | matches 1-20 of 37 | bytes 0-9 of 9 | complete\n";
  expect(readInspectAnswer(found, false)).toMatchObject({ matchCount: 37 });
  const none = "[blob:a] text | no match | bytes 0-9 of 9 | complete\nfind: is literal";
  expect(readInspectAnswer(none, false)).toMatchObject({ matchCount: 0 });
});

test("an error of inspect gives its code", () => {
  expect(readInspectAnswer("inspect error (not_found): it is gone\nmore", true)).toEqual({
    type: "failure",
    code: "not_found",
    message: "it is gone",
  });
  expect(readInspectAnswer("timed out", true)).toMatchObject({ type: "failure", code: "error" });
});

test("matches are read with line, entry and byte, whichever there are", () => {
  const payload = [
    "line 1234 (byte 98211): …around it…",
    'entry 14502 (byte 77): {"id":1}',
    "byte 5: x: y",
    "find: is literal; upper and lower case differ",
  ].join("\n");
  expect(readFindHits(payload)).toEqual([
    { line: 1234, entry: undefined, byte: 98_211, context: "…around it…" },
    { line: undefined, entry: 14_502, byte: 77, context: '{"id":1}' },
    { line: undefined, entry: undefined, byte: 5, context: "x: y" },
  ]);
});
