import { describe, expect, test } from "vitest";
import { body, expectAnswerForm, read } from "../../test/support/answers.js";
import { BLOB_ID, byteStore, loadingStore } from "../../test/support/byte-store.js";
import { walk } from "../../test/support/walk.js";
import type { BlobStoreLike } from "../blob/blob-store.js";
import { OutputLimitsError } from "../errors.js";
import { structuredContent } from "../blob/content.js";
import { readBlob } from "./read.js";
import { parseSelector } from "./selector.js";

describe("readBlob", () => {
  test("works on a store that can only load", async () => {
    const text = loadingStore({ type: "text", text: "one\ntwo\n" });
    expect(body(await read(text, "lines:2"))).toBe("two\n");
    const json = loadingStore(structuredContent('{"a": [1, 2]}'));
    expect(body(await read(json, "key:a | slice:1..2"))).toBe("[2]");
    const bytes = loadingStore({
      type: "binary",
      bytes: Buffer.from([0, 1]),
      mediaType: "image/png",
    });
    expect((await read(bytes)).header).toContain("binary | image/png | bytes 0-2 of 2");
    const scalar = loadingStore(structuredContent("42"));
    expect((await read(scalar)).text).toBe(
      `[blob:${BLOB_ID}] json_value | bytes 0-2 of 2 | complete\n42`,
    );
  });

  test("an index makes reading the end of a text as cheap as its beginning", async () => {
    const store = byteStore("some line of a log\n".repeat(200_000));
    const answer = await read(store, "lines:199990-200000");
    expect(answer.header).toContain("lines 199990-200000 of 200000");
    expect(store.counts.bytes).toBeLessThan(600_000);
  });

  test("closes what it opens, whatever comes of it", async () => {
    const store = byteStore("text");
    for (const selector of [undefined, "lines:1", "lines:9", "nonsense", "find:x"]) {
      await read(store, selector);
    }
    expect(store.counts).toMatchObject({ opened: 5, closed: 5 });
  });

  test.each([
    "0197f3a1-ffff-7000-8000-000000000001",
    "../../outside.txt",
    "/etc/passwd",
    "%2e%2e%2foutside",
    "a\u0000b",
    BLOB_ID.toUpperCase(),
    "",
    "x".repeat(10_000),
    "line\nbreak",
    "\ud800",
  ])("F15: an id that is not there is answered with that (%#)", async (id) => {
    const answer = await readBlob(byteStore("secret"), id);
    expectAnswerForm(answer);
    expect(answer.code).toBe("not_found");
    expect(answer.text).toContain("no longer exists");
    expect(answer.text).not.toContain("secret");
    expect(answer.text.length).toBeLessThan(300);
  });

  test.each([
    ["not_found", "not_found", "no longer exists"],
    ["invalid_id", "not_found", "no longer exists"],
    ["unavailable", "unavailable", "try again"],
    ["ECONNREFUSED", "unavailable", "try again"],
    ["forbidden", "unavailable", "refuses access"],
    ["corrupt", "corrupt", "damaged"],
  ])("F15: a store that fails with %s gives the error %s", async (storeCode, code, text) => {
    const store = byteStore("text");
    store.failWith = storeCode;
    const answer = await read(store);
    expectAnswerForm(answer);
    expect(answer.code).toBe(code);
    expect(answer.text).toContain(text);
    expect(answer.cause).toMatchObject({ code: storeCode });
  });

  test("a blob that is not what the store says is answered as damaged", async () => {
    const store: BlobStoreLike = {
      ...byteStore("not JSON"),
      openReader: () =>
        Promise.resolve({
          stat: { kind: "json_object", byteCount: 8, mediaType: "application/json" },
          read: (start, end) => Promise.resolve(Buffer.from('{"a": no').subarray(start, end)),
          close: () => Promise.reject(new Error("cannot close")),
        }),
    };
    const answer = await read(store, "key:a");
    expect(answer.code).toBe("corrupt");
    expect(answer.text).toContain("with bytes:");
    expect(body(await read(store, "bytes:0-8"))).toBe('{"a": no');
  });

  test("a selector that would leave no room for the answer is refused", async () => {
    const answer = await read(byteStore("text"), `find:${"x".repeat(5000)}`);
    expectAnswerForm(answer);
    expect(answer.code).toBe("bad_selector");
    const longest = await read(byteStore("漢".repeat(20_000)), `find:${"漢".repeat(680)}`);
    expectAnswerForm(longest);
    expect(longest.header).toContain("matches 1-");
  });

  test.each([
    ["a name that is as long as one may be", `key:${"k".repeat(251)}`],
    ["a name that is longer with its escapes", `key:${"\u0001".repeat(40)}`],
    ["a text that is as long as one may be", `find:${"k".repeat(250)}`],
    ["many slices", "slice:0.. | slice:0.. | slice:0.. | slice:0.. | slice:0.."],
    ["many ranges", Array.from({ length: 40 }, () => "bytes:0-").join("|")],
  ])("what follows %s can be asked for", async (_title, selector) => {
    const [step] = parseSelector(selector);
    const raw =
      step?.type === "key"
        ? JSON.stringify({ [step.name]: "line\n".repeat(500) })
        : JSON.stringify(Array.from({ length: 40 }, (_, i) => `${"k".repeat(250)}${i}`));
    const { answers } = await walk(byteStore(raw), BLOB_ID, { selector, maxAnswerBytes: 1024 });
    expect(answers.length).toBeGreaterThan(4);
    for (const answer of answers) {
      expectAnswerForm(answer, 1024);
      expect(answer.isError).toBe(false);
    }
  });

  test.each([
    ["a name whose escapes leave no room", `key:${"\u0001".repeat(120)}`],
    ["too many slices", "slice:0..|".repeat(12).slice(0, -1)],
    ["too many ranges", "bytes:0-|".repeat(80).slice(0, -1)],
  ])("%s is refused", async (_title, selector) => {
    const store = byteStore(JSON.stringify({ ["\u0001".repeat(120)]: "x".repeat(5000) }));
    const answer = await readBlob(store, BLOB_ID, selector, { maxAnswerBytes: 1024 });
    expectAnswerForm(answer, 1024);
    expect(answer.code).toBe("bad_selector");
  });

  test("errors stay within a small cap", async () => {
    const keys = Object.fromEntries(
      Array.from({ length: 10 }, (_, i) => [`${"漢".repeat(79)}${i}`, i]),
    );
    const store = byteStore(JSON.stringify(keys));
    const answer = await readBlob(store, BLOB_ID, "key:zzz", { maxAnswerBytes: 1024 });
    expectAnswerForm(answer, 1024);
    expect(answer.text.endsWith("…")).toBe(true);
    await expect(readBlob(store, BLOB_ID, "", { maxAnswerBytes: 100 })).rejects.toThrow(
      OutputLimitsError,
    );
  });

  test("an aborted call is answered as such", async () => {
    const answer = await readBlob(byteStore("text"), BLOB_ID, "find:x", {
      signal: AbortSignal.abort(),
    });
    expect(answer.code).toBe("aborted");
  });
});
