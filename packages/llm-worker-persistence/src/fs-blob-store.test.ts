import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { structuredContent } from "llm-worker/blob";
import type { Content } from "llm-worker/blob";
import { describe, expect, test } from "vitest";
import { canListOpenFiles, openFileCount } from "../test/open-files.js";
import { tempDirectory } from "../test/temp-directory.js";
import { FsBlobStore } from "./fs-blob-store.js";
import { blobStoreConformance } from "./testing/index.js";
import { UNKNOWN_ID } from "./testing/assertions.js";
import { allByteValues, binary, json, largeArray, largeText, text } from "./testing/samples.js";
import { deduplicated } from "./wrapper/deduplicated.js";

describe.each(["fsync", "none"] as const)("the conformance suite, durability %s", (durability) => {
  const cases = blobStoreConformance({
    createStore: async () => new FsBlobStore(await tempDirectory(), { durability }),
  });
  test.each(cases)("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

async function blobFiles(directory: string): Promise<string[]> {
  return (await readdir(join(directory, "blobs"))).toSorted();
}

const detached = new Uint8Array(8);
structuredClone(detached.buffer, { transfer: [detached.buffer] });

const NO_BYTES: Readonly<Record<string, unknown>> = {
  "an ArrayBuffer": new ArrayBuffer(8),
  "a DataView": new DataView(new ArrayBuffer(8)),
  "a view of larger elements": Uint16Array.of(1, 300),
  numbers: [1, 2],
  "a number": 8,
  "a string": "text",
  "bytes that were transferred elsewhere": detached,
};

test.each([
  undefined,
  "a text",
  {},
  { type: "nonsense" },
  { type: "text" },
  { type: "text", text: 5 },
  { type: "structured", raw: [1], value: [1] },
  ...Object.values(NO_BYTES).map((bytes) => ({ type: "binary", bytes, mediaType: "image/png" })),
])("what is no content, such as %j, is refused, and nothing is left of it", async (content) => {
  const directory = await tempDirectory();
  const store = new FsBlobStore(directory);
  const id = await store.store(text("one"));
  // As a program in JavaScript might.
  await expect(store.store(content as Content)).rejects.toThrow(TypeError);
  await expect(deduplicated(store, { minBytes: 0 }).store(content as Content)).rejects.toThrow(
    TypeError,
  );
  expect(await blobFiles(directory)).toEqual([`${id}.txt`]);
  expect(await openFileCount(directory)).toBe(0);
});

test.each(Object.entries(NO_BYTES))(
  "%s in a stream is refused, and nothing is left of it",
  async (_, bytes) => {
    const directory = await tempDirectory();
    const writer = await new FsBlobStore(directory).openWriter();
    await writer.write(Buffer.from("one"));
    await expect(writer.write(bytes as Uint8Array)).rejects.toThrow(TypeError);
    await expect(writer.commit()).rejects.toThrow(TypeError);
    expect(await blobFiles(directory)).toEqual([]);
  },
);

test("a small blob is one file that ordinary tools can read", async () => {
  const directory = await tempDirectory();
  const store = new FsBlobStore(directory);
  const contents: [Content, string, Buffer][] = [
    [text("one\r\ntwo\u0000"), ".txt", Buffer.from("one\r\ntwo\u0000")],
    [structuredContent('{"n" : 1.0}'), ".json", Buffer.from('{"n" : 1.0}')],
    [binary(allByteValues()), ".bin", Buffer.from(allByteValues())],
  ];
  for (const [content, extension, bytes] of contents) {
    const id = await store.store(content);
    expect(await blobFiles(directory)).toEqual([id + extension]);
    expect(await readFile(join(directory, "blobs", id + extension))).toEqual(bytes);
    await store.delete(id);
  }
});

test("a large blob and one of a special media type have a sidecar, which delete removes too", async () => {
  const directory = await tempDirectory();
  const store = new FsBlobStore(directory);
  const contents: [Content, string][] = [
    [text(largeText()), ".txt"],
    [json(largeArray()), ".json"],
    [binary(allByteValues(), "image/png"), ".bin"],
    [binary(Buffer.from([0x63, 0xe9]), "text/plain; charset=iso-8859-1"), ".txt"],
  ];
  for (const [content, extension] of contents) {
    const id = await store.store(content);
    expect(await blobFiles(directory)).toEqual([`${id}.index`, id + extension].toSorted());
    await store.delete(id);
    expect(await blobFiles(directory)).toEqual([]);
  }
});

test("another store on the same directory sees what the first has stored", async () => {
  const directory = await tempDirectory();
  const id = await new FsBlobStore(directory).store(text("shared"));
  expect(await new FsBlobStore(directory).load(id)).toEqual(text("shared"));
});

test("nothing is made in a directory that is only looked at", async () => {
  const directory = await tempDirectory();
  const store = new FsBlobStore(join(directory, "not", "there"));
  expect(await store.exists(UNKNOWN_ID)).toBe(false);
  expect(await store.delete(UNKNOWN_ID)).toBe(false);
  await expect(store.load(UNKNOWN_ID)).rejects.toMatchObject({ code: "not_found" });
  for await (const entry of store.list()) expect.unreachable(entry.id);
  expect(await readdir(directory)).toEqual([]);
});

test("files that are no blobs are neither listed nor touched", async () => {
  const directory = await tempDirectory();
  const store = new FsBlobStore(directory);
  const id = await store.store(text("x"));
  await writeFile(join(directory, "blobs", "notes.txt"), "mine");
  await writeFile(join(directory, "blobs", `${id}.txt.bak`), "mine");
  const listed: string[] = [];
  for await (const entry of store.list()) listed.push(entry.id);
  expect(listed).toEqual([id]);
  await store.delete(id);
  expect(await blobFiles(directory)).toEqual([`${id}.txt.bak`, "notes.txt"]);
});

test("a payload that someone put there by hand is read as its extension says", async () => {
  const directory = await tempDirectory();
  const store = new FsBlobStore(directory);
  const id = await store.store(text("x"));
  await store.delete(id);
  await writeFile(join(directory, "blobs", `${id}.txt`), "[1]\n");
  expect(await store.load(id)).toEqual(text("[1]\n"));
  expect(await store.stat(id)).toMatchObject({ kind: "text", lineCount: 1 });
});

test.skipIf(!canListOpenFiles)("no file stays open, whatever was done", async () => {
  const directory = await tempDirectory();
  const store = new FsBlobStore(directory);
  const id = await store.store(text(largeText()));
  await store.load(id);
  await store.stat(id);
  await store.exists(id);
  await store.load(UNKNOWN_ID).catch(() => undefined);
  const reader = await store.openReader(id);
  await Promise.all([reader.read(0, 100), reader.read(5, 10), reader.close()]).catch(
    () => undefined,
  );
  await (await store.openWriter()).abort();
  const writer = await store.openWriter();
  await writer.write(allByteValues());
  await writer.commit();
  const controller = new AbortController();
  const aborted = await store.openWriter({ signal: controller.signal });
  controller.abort();
  await aborted.abort();
  for await (const entry of store.list()) await store.delete(entry.id);
  await expect.poll(() => openFileCount(directory)).toBe(0);
});
