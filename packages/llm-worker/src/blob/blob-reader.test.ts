import { constants } from "node:buffer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contentBytes, contentOf, createBytesReader, openBlobReader } from "./blob-reader.js";
import type { BlobReader, BlobStat, BlobStoreLike } from "./blob-store.js";
import { type Content, structuredContent } from "./content.js";

function storeOf(content: Content, openReader?: () => Promise<BlobReader>): BlobStoreLike {
  return {
    store: () => Promise.resolve("id"),
    load: () => Promise.resolve(content),
    exists: () => Promise.resolve(true),
    ...(openReader && { openReader }),
  };
}

async function statOf(content: Content): Promise<BlobStat> {
  return (await openBlobReader(storeOf(content), "id")).stat;
}

const contents: readonly Content[] = [
  { type: "text", text: "" },
  { type: "text", text: "\ufeffnaïve\r\n漢字 😀\u0000" },
  structuredContent('{ "a":12345678901234567890, "a":1.0, "\\u006b":[] }'),
  structuredContent("[1e2]"),
  structuredContent(" null\n"),
  { type: "binary", bytes: Buffer.from([0, 255, 128]), mediaType: "image/png" },
  { type: "binary", bytes: Buffer.from("{}"), mediaType: "application/json" },
  {
    type: "binary",
    bytes: Buffer.from("caf\xe9", "latin1"),
    mediaType: "text/plain; charset=latin1",
  },
];

describe("contentOf", () => {
  test.each(contents.map((content) => [content.type, content] as const))(
    "gives back the %s content that contentBytes took apart: %j",
    async (_, content) => {
      const stat = await statOf(content);
      const back = contentOf(stat, contentBytes(content));
      expect(back).toEqual(content);
      expect(await statOf(back)).toEqual(stat);
    },
  );

  test("any text comes back, half characters replaced", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), async (text) => {
        const content: Content = { type: "text", text };
        expect(contentOf(await statOf(content), contentBytes(content))).toEqual({
          type: "text",
          text: text.toWellFormed(),
        });
      }),
    );
  });

  test("half characters in JSON text are replaced, escaped ones are not", () => {
    const raw = '["\ud83d","\\ud83d"]';
    expect(Buffer.from(contentBytes(structuredContent(raw))).toString()).toBe(
      '["\ufffd","\\ud83d"]',
    );
  });

  test("text that fits no string stays bytes, and keeps its media type", () => {
    // Never touched, so it takes no memory.
    const bytes = Buffer.allocUnsafeSlow(constants.MAX_STRING_LENGTH + 1);
    const stat: BlobStat = { kind: "text", byteCount: bytes.length, mediaType: "text/plain" };
    const content = contentOf(stat, bytes);
    expect(content.type === "binary" && content.bytes === bytes).toBe(true);
    expect(content).toHaveProperty("mediaType", "text/plain");
  });
});

describe("createBytesReader", () => {
  test("reads ranges, clamped to the blob", async () => {
    const reader = createBytesReader(Buffer.from("0123456789"));
    const read = async (start: number, end: number): Promise<string> =>
      Buffer.from(await reader.read(start, end)).toString();
    expect(await read(2, 5)).toBe("234");
    expect(await read(8, 99)).toBe("89");
    expect(await read(-3, 2)).toBe("01");
    expect(await read(5, 2)).toBe("");
    expect(await read(50, 60)).toBe("");
    expect(await read(0, -1)).toBe("");
  });

  test("describes the bytes unless it is told what they are", () => {
    expect(createBytesReader(Buffer.from("[1,2]")).stat).toMatchObject({
      kind: "json_array",
      entryCount: 2,
    });
    const stat: BlobStat = { kind: "text", byteCount: 5, mediaType: "text/plain", lineCount: 1 };
    expect(createBytesReader(Buffer.from("[1,2]"), stat).stat).toBe(stat);
  });

  test("reads after close are refused with the code closed", async () => {
    const reader = createBytesReader(Buffer.from("x"));
    await reader.close();
    await reader.close();
    await expect(reader.read(0, 1)).rejects.toMatchObject({ code: "closed" });
  });
});

describe("openBlobReader", () => {
  test("uses the store's own reader where there is one", async () => {
    const own = createBytesReader(Buffer.from("own"));
    const store = storeOf({ type: "text", text: "loaded" }, () => Promise.resolve(own));
    expect(await openBlobReader(store, "id")).toBe(own);
  });

  test("loads the blob of a store that has only the three methods", async () => {
    const reader = await openBlobReader(storeOf({ type: "text", text: "[1]\n" }), "id");
    expect(reader.stat).toMatchObject({ kind: "text", byteCount: 4, lineCount: 1 });
    expect(Buffer.from(await reader.read(0, 4)).toString()).toBe("[1]\n");
  });

  test("what the store throws comes through", async () => {
    const gone = Object.assign(new Error("gone"), { code: "not_found" });
    const store = { ...storeOf({ type: "text", text: "" }), load: () => Promise.reject(gone) };
    await expect(openBlobReader(store, "id")).rejects.toBe(gone);
  });
});
