import { readBlob } from "llm-worker";
import { MemoryBlobStore } from "llm-worker-persistence";
import { contentBytes } from "llm-worker/blob";
import { expect, test } from "vitest";
import { RARE_WORD, type Shelf, storeArray, storeLog, storeObject } from "./corpus.js";

const shelf: Shelf = { store: new MemoryBlobStore(), place: "blobs" };

test("each place holds what its selector is answered with", async () => {
  const { lastKey, anyKey, nested } = await storeObject(shelf, 300_000);
  const blobs = [await storeLog(shelf, 300_000), await storeArray(shelf, 300_000)];
  for (const { id, byteCount, places } of [...blobs, lastKey, anyKey, nested]) {
    const payload = Buffer.from(contentBytes(await shelf.store.load(id)));
    expect(payload).toHaveLength(byteCount);
    expect(places).not.toEqual([]);
    for (const { selector, start, end, answer } of places) {
      const { text } = await readBlob(shelf.store, id, selector);
      expect(text.slice(text.indexOf("\n") + 1)).toBe(answer);
      const held = payload.toString("utf8", start, end);
      expect(answer.startsWith("[") ? `[${held}]` : held).toBe(answer);
    }
  }
});

test("one line of a log has the rare word", async () => {
  const { id } = await storeLog(shelf, 100_000);
  const payload = contentBytes(await shelf.store.load(id));
  expect(Buffer.from(payload).toString().split(RARE_WORD)).toHaveLength(2);
});
