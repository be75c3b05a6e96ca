import * as fs from "node:fs/promises";
import { join } from "node:path";
import { readBlob } from "llm-worker";
import { type BlobIndex, type BlobReader, CorruptIndexError } from "llm-worker/blob";
import { assert, expect, test } from "vitest";
import { FsBlobStore } from "../src/fs-blob-store.js";
import { allByteValues, binary, largeText, text } from "../src/testing/samples.js";
import { cached } from "../src/wrapper/cached.js";
import { failingFileSystem } from "./failing-file-system.js";
import { tempDirectory } from "./temp-directory.js";

async function storedLargeText(payload = largeText()) {
  const directory = await tempDirectory();
  const store = new FsBlobStore(directory);
  const id = await store.store(text(payload));
  return {
    directory,
    store,
    id,
    payload: join(directory, "blobs", `${id}.txt`),
    sidecar: join(directory, "blobs", `${id}.index`),
  };
}

function lookAtAll(index: BlobIndex | undefined): void {
  assert(index?.type === "text");
  for (let line = 0; line < index.offsets.length; line++) index.offsets.at(line);
}

async function opened<T>(reader: BlobReader, use: (reader: BlobReader) => T | Promise<T>) {
  try {
    return await use(reader);
  } finally {
    await reader.close();
  }
}

test("a missing sidecar of a large blob is made again, the same", async () => {
  const { store, id, sidecar } = await storedLargeText();
  const before = await fs.readFile(sidecar);
  await fs.unlink(sidecar);
  await opened(await store.openReader(id), async ({ stat, index }) => {
    expect(stat).toMatchObject({ kind: "text", lineCount: 30_000 });
    expect(index?.type).toBe("text");
  });
  expect(await fs.readFile(sidecar)).toEqual(before);
});

test.each([
  ["empty", () => Buffer.alloc(0)],
  ["cut", (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
  ["overwritten", (bytes: Buffer) => bytes.fill(0xff, Math.floor(bytes.length / 2))],
  ["something else", () => Buffer.from("not an index\n")],
])("a sidecar that is %s is made again", async (_, damaged) => {
  const { store, id, sidecar } = await storedLargeText();
  const before = await fs.readFile(sidecar);
  await fs.writeFile(sidecar, damaged(Buffer.from(before)));
  expect(await store.load(id)).toEqual(text(largeText()));
  expect(await fs.readFile(sidecar)).toEqual(before);
});

test("wherever an index is broken an answer is right, and the index made again", async () => {
  const { directory, store, id, sidecar } = await storedLargeText();
  const whole = await fs.readFile(sidecar);
  const selector = "lines:29901-29902";
  const { text: wanted } = await readBlob(store, id, selector);
  for (let at = 0; at < whole.length; at += 7) {
    const broken = Buffer.from(whole);
    broken.writeUInt8((broken[at] ?? 0) ^ 0x10, at);
    await fs.writeFile(sidecar, broken);
    const other = new FsBlobStore(directory);
    expect((await readBlob(other, id, selector)).text).toBe(wanted);
    expect((await readBlob(other, id, selector)).text).toBe(wanted);
    // What no answer has needed may still be broken.
    const kept = await fs.readFile(sidecar);
    expect(kept.equals(whole) || kept.equals(broken)).toBe(true);
  }
});

test("an index that is found to be broken while it is read is made again for the next reader", async () => {
  // So large that of its index only the ends are looked at when it is opened.
  const { directory, id, sidecar } = await storedLargeText(largeText().repeat(6));
  const whole = await fs.readFile(sidecar);
  const broken = Buffer.from(whole);
  const middle = Math.floor(broken.length / 2);
  broken.writeUInt8((broken[middle] ?? 0) ^ 1, middle);
  await fs.writeFile(sidecar, broken);
  const store = new FsBlobStore(directory);
  await opened(await store.openReader(id), ({ index }) => {
    expect(() => lookAtAll(index)).toThrow(CorruptIndexError);
  });
  await opened(await store.openReader(id), ({ index }) => lookAtAll(index));
  expect(await fs.readFile(sidecar)).toEqual(whole);
});

test("a cache in front of the store does not keep an index that is found to be broken", async () => {
  const { directory, id, sidecar } = await storedLargeText(largeText().repeat(6));
  const broken = await fs.readFile(sidecar);
  const middle = Math.floor(broken.length / 2);
  broken.writeUInt8((broken[middle] ?? 0) ^ 1, middle);
  await fs.writeFile(sidecar, broken);
  const front = cached(new FsBlobStore(directory), { maxBytes: 1_000_000 });
  await opened(await front.openReader(id), ({ index }) => {
    expect(() => lookAtAll(index)).toThrow(CorruptIndexError);
  });
  await opened(await front.openReader(id), ({ index }) => lookAtAll(index));
});

test("where the sidecar cannot be written again the blob can be read all the same", async () => {
  const { directory, id, sidecar } = await storedLargeText();
  await fs.unlink(sidecar);
  const readOnly = new FsBlobStore(directory, {
    fileSystem: failingFileSystem(({ path }) => (path.endsWith(".tmp") ? "EROFS" : undefined)),
  });
  await opened(await readOnly.openReader(id), ({ index }) => expect(index).toBeDefined());
  expect(await readOnly.load(id)).toEqual(text(largeText()));
  await expect(readOnly.store(text("x"))).rejects.toMatchObject({ code: "forbidden" });
});

test("no sidecar is left of a blob that is deleted while it is scanned", async () => {
  const { directory, store, id, sidecar } = await storedLargeText();
  await fs.unlink(sidecar);
  const scanning = new FsBlobStore(directory, {
    fileSystem: {
      ...fs,
      rename: async (from, to) => {
        await store.delete(id);
        await fs.rename(from, to);
      },
    },
  });
  await expect(scanning.load(id)).rejects.toMatchObject({ code: "not_found" });
  expect(await fs.readdir(join(directory, "blobs"))).toEqual([]);
});

test("an unreadable sidecar of bytes is kept: a later version may know the media type", async () => {
  const directory = await tempDirectory();
  const store = new FsBlobStore(directory);
  const id = await store.store(binary(allByteValues(), "image/png"));
  const sidecar = join(directory, "blobs", `${id}.index`);
  await fs.writeFile(sidecar, "version 99");
  expect(await store.load(id)).toMatchObject({ mediaType: "application/octet-stream" });
  expect(await fs.readFile(sidecar, "utf8")).toBe("version 99");
});

test("a payload whose size is not that of its sidecar is corrupt", async () => {
  for (const change of [fs.appendFile, (path: string) => fs.truncate(path, 400_000)]) {
    const { store, id, payload } = await storedLargeText();
    await change(payload, "more");
    const corrupt = { code: "corrupt", blobId: id };
    await expect(store.load(id)).rejects.toMatchObject(corrupt);
    await expect(store.stat(id)).rejects.toMatchObject(corrupt);
    await expect(store.openReader(id)).rejects.toMatchObject(corrupt);
  }
});

test("a payload that is cut while a reader is open is corrupt for it", async () => {
  const { store, id, payload } = await storedLargeText();
  await opened(await store.openReader(id), async (reader) => {
    await fs.truncate(payload, 400_000);
    await expect(reader.read(0, 10)).rejects.toMatchObject({ code: "corrupt" });
  });
});

test("a text whose bytes are no longer text is corrupt, not mended", async () => {
  const { store, id, payload } = await storedLargeText();
  const file = await fs.open(payload, "r+");
  await file.write(Buffer.from([0xff]), 0, 1, 1_000);
  await file.close();
  await expect(store.load(id)).rejects.toMatchObject({ code: "corrupt" });
});

test("a JSON payload that is no longer JSON is corrupt", async () => {
  const directory = await tempDirectory();
  const store = new FsBlobStore(directory);
  const id = await store.store({ type: "structured", raw: "[1,2,3]", value: [1, 2, 3] });
  await fs.truncate(join(directory, "blobs", `${id}.json`), 4);
  await expect(store.load(id)).rejects.toMatchObject({ code: "corrupt" });
});
