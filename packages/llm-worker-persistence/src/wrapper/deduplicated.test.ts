import { contentBytes } from "llm-worker/blob";
import type { BlobStat, BlobWriter, BlobWriterOptions, Content } from "llm-worker/blob";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  entriesOf,
  idsOfType,
  payloads,
  randomBytes,
  readRange,
  writeStream,
} from "../../test/support/blob-pieces.js";
import { countingStore } from "../../test/support/counting-store.js";
import type { CompleteBlobStore } from "../blob-store.js";
import { MemoryBlobStore } from "../memory-blob-store.js";
import { binary, json, largeText, text } from "../testing/samples.js";
import { deduplicated } from "./deduplicated.js";
import { CONTENT_MEDIA_TYPE, POINTER_MEDIA_TYPE } from "./pointer.js";

const payload = randomBytes(50_000);

function contentIds(inner: CompleteBlobStore): Promise<readonly string[]> {
  return idsOfType(inner, CONTENT_MEDIA_TYPE);
}

describe("equal payloads", () => {
  test("are stored once, under ids of their own, whole, as streams and at the same time", async () => {
    const inner = new MemoryBlobStore();
    const store = deduplicated(inner);
    const ids = [
      await store.store(binary(payload)),
      ...(await Promise.all([
        store.store(binary(payload)),
        writeStream(store, payload, 777),
        store.store(binary(payload)),
        writeStream(store, payload, 50_000),
      ])),
    ];
    expect(new Set(ids).size).toBe(5);
    expect(await contentIds(inner)).toHaveLength(1);
    expect((await entriesOf(store)).map(({ id, byteCount }) => [id, byteCount])).toEqual(
      ids.toSorted().map((id) => [id, payload.length]),
    );
    for (const id of ids)
      expect(Buffer.compare(contentBytes(await store.load(id)), payload)).toBe(0);
  });

  test("are stored once even if all come at once", async () => {
    const inner = new MemoryBlobStore();
    const store = deduplicated(inner);
    await Promise.all(
      Array.from({ length: 20 }, (_, number) =>
        number % 2 === 0 ? store.store(binary(payload)) : writeStream(store, payload, 9000),
      ),
    );
    expect(await contentIds(inner)).toHaveLength(1);
    expect(await entriesOf(store)).toHaveLength(20);
  });

  test("keep the type that each was stored with", async () => {
    const inner = new MemoryBlobStore();
    const store = deduplicated(inner, { minBytes: 0 });
    const raw = "[1,\n2]";
    const bytes = Buffer.from(raw);
    const contents: Content[] = [text(raw), json(raw), binary(bytes), binary(bytes, "image/png")];
    const ids = await Promise.all(contents.map((content) => store.store(content)));
    expect(await contentIds(inner)).toHaveLength(1);
    const stats = await Promise.all(ids.map((id) => store.stat(id)));
    expect(stats.map(({ kind }: BlobStat) => kind)).toEqual([
      "text",
      "json_array",
      "binary",
      "binary",
    ]);
    const loaded = await Promise.all(ids.map((id) => store.load(id)));
    expect(loaded.map(({ type }) => type)).toEqual(["text", "structured", "binary", "binary"]);
    expect(loaded[3]).toEqual({ ...contents[3], bytes: expect.anything() as unknown });
  });

  test("that are known already are not written again", async () => {
    const inner = countingStore(new MemoryBlobStore());
    const store = deduplicated(inner);
    await store.store(binary(payload));
    expect(inner.counts.writtenBytes).toBe(payload.length);
    await store.store(binary(payload));
    expect(inner.counts.writtenBytes).toBe(payload.length);
  });

  test("that others have stored are known after learn()", async () => {
    const inner = new MemoryBlobStore();
    const id = await deduplicated(inner).store(binary(payload));
    const store = deduplicated(inner);
    expect(await store.learn()).toBe(1);
    await writeStream(store, payload, 10_000);
    expect(await contentIds(inner)).toHaveLength(1);
    expect(Buffer.compare(contentBytes(await store.load(id)), payload)).toBe(0);
  });

  test("are stored again if the one that is known was wiped out below", async () => {
    const inner = new MemoryBlobStore();
    const store = deduplicated(inner);
    const lost = await store.store(binary(payload));
    for (const id of await contentIds(inner)) await inner.delete(id);
    const id = await store.store(binary(payload));
    expect(Buffer.compare(contentBytes(await store.load(id)), payload)).toBe(0);
    await expect(store.load(lost)).rejects.toMatchObject({ code: "corrupt", blobId: lost });
    await expect(store.openReader(lost)).rejects.toMatchObject({ code: "corrupt", blobId: lost });
  });

  test("come back whole and by ranges, whatever they are", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(payloads, { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat({ max: 3 }), { maxLength: 6 }),
        fc.nat({ max: 30_000 }),
        async (contents, order, start) => {
          const inner = new MemoryBlobStore();
          const store = deduplicated(inner, { minBytes: 100 });
          for (const position of order) {
            const bytes = contents[position % contents.length] ?? new Uint8Array();
            const id = await (position % 2 === 0
              ? store.store(binary(bytes))
              : writeStream(store, bytes, 1000));
            expect(Buffer.compare(contentBytes(await store.load(id)), bytes)).toBe(0);
            expect(Buffer.from(await readRange(store, id, start, start + 999))).toEqual(
              Buffer.from(bytes.subarray(start, start + 999)),
            );
          }
          expect((await contentIds(inner)).length).toBeLessThanOrEqual(contents.length);
        },
      ),
      { numRuns: 50 },
    );
  });
});

test("a range costs its pointer and its own bytes, and costs no pointer while the reader is open", async () => {
  const inner = countingStore(new MemoryBlobStore());
  const store = deduplicated(inner);
  const reader = await store.openReader(await store.store(binary(payload)));
  const pointerBytes = inner.counts.readBytes;
  expect(pointerBytes).toBeLessThan(200);
  await reader.read(40_000, 40_010);
  await reader.read(7, 9);
  expect(inner.counts.readBytes).toBe(pointerBytes + 12);
});

describe("small and foreign blobs", () => {
  test("small ones are stored as they are, each on its own", async () => {
    const inner = new MemoryBlobStore();
    const store = deduplicated(inner, { minBytes: 10 });
    const ids = [await store.store(text("123456789")), await writeStream(store, randomBytes(9), 4)];
    for (const id of ids) expect(await inner.load(id)).toEqual(await store.load(id));
    expect(await contentIds(inner)).toEqual([]);
  });

  test("what was stored without the wrapper is read, listed and deleted", async () => {
    const inner = new MemoryBlobStore();
    const id = await inner.store(text(largeText()));
    const store = deduplicated(inner);
    expect(await store.load(id)).toEqual(text(largeText()));
    expect(await store.stat(id)).toMatchObject({ lineCount: 30_000 });
    expect(await entriesOf(store)).toEqual(await entriesOf(inner));
    expect(await store.delete(id)).toBe(true);
    expect(await store.exists(id)).toBe(false);
  });

  test("blobs of the wrapper's own media types are kept as any others", async () => {
    const store = deduplicated(new MemoryBlobStore());
    for (const mediaType of [POINTER_MEDIA_TYPE, CONTENT_MEDIA_TYPE]) {
      const content = binary(randomBytes(10), mediaType);
      expect(await store.load(await store.store(content))).toEqual(content);
      const id = await writeStream(store, content.bytes, 3, mediaType);
      expect(await store.load(id)).toEqual(content);
    }
  });

  test("a payload is no blob of its own: it is not there, and cannot be deleted", async () => {
    const inner = new MemoryBlobStore();
    const store = deduplicated(inner);
    const id = await store.store(binary(payload));
    const [contentId = ""] = await contentIds(inner);
    expect(await store.exists(contentId)).toBe(false);
    for (const call of [
      store.load(contentId),
      store.stat(contentId),
      store.openReader(contentId),
    ]) {
      await expect(call).rejects.toMatchObject({ code: "not_found" });
    }
    expect(await store.delete(contentId)).toBe(false);
    expect(Buffer.compare(contentBytes(await store.load(id)), payload)).toBe(0);
  });
});

describe("damage", () => {
  test("a pointer that was changed is corrupt, whatever byte it was", async () => {
    const inner = new MemoryBlobStore();
    const id = await deduplicated(inner).store(binary(payload));
    const pointer = contentBytes(await inner.load(id));
    const store = deduplicated(inner);
    for (let position = 0; position < pointer.length; position++) {
      const damaged = new Uint8Array(pointer);
      damaged[position] = (damaged[position] ?? 0) ^ 1;
      const damagedId = await inner.store(binary(damaged, POINTER_MEDIA_TYPE));
      await expect(store.load(damagedId)).rejects.toMatchObject({ code: "corrupt" });
      await expect(store.stat(damagedId)).rejects.toMatchObject({ code: "corrupt" });
    }
    expect(await entriesOf(store)).toHaveLength(1 + pointer.length);
  });

  test("a payload that was changed does not match its hash", async () => {
    const memory = new MemoryBlobStore();
    const inner: CompleteBlobStore = Object.assign(countingStore(memory), {
      async load(id: string): Promise<Content> {
        const content = await memory.load(id);
        if (content.type === "binary" && content.mediaType === CONTENT_MEDIA_TYPE) {
          content.bytes[7] = (content.bytes[7] ?? 0) ^ 1;
        }
        return content;
      },
    });
    const store = deduplicated(inner);
    const id = await store.store(binary(payload));
    await expect(store.load(id)).rejects.toMatchObject({ code: "corrupt", blobId: id });
  });
});

test("options out of bounds are refused", () => {
  for (const minBytes of [-1, Number.NaN, 1e9]) {
    expect(() => deduplicated(new MemoryBlobStore(), { minBytes })).toThrow(RangeError);
  }
});

test("no reader stays open, whatever was done", async () => {
  const inner = countingStore(new MemoryBlobStore());
  const store = deduplicated(inner);
  const id = await store.store(binary(payload));
  await inner.store(binary(randomBytes(77), POINTER_MEDIA_TYPE));
  await store.stat(id);
  await store.learn();
  await entriesOf(store);
  await readRange(store, id, 0, 10);
  const reader = await store.openReader(id);
  await store.delete(id);
  await expect(reader.read(0, 1)).rejects.toMatchObject({ code: "not_found" });
  await reader.close();
  for (const content of await contentIds(inner)) {
    await store.openReader(content).catch(() => undefined);
  }
  expect(inner.counts.openedReaders).toBeGreaterThan(5);
  expect(inner.counts.openReaders).toBe(0);
});

describe("bytes that their owner changes while they are stored", () => {
  /** A store, and a wrapper in which the bytes change as soon as the store is to write them. */
  function changing(bytes: Uint8Array): [MemoryBlobStore, CompleteBlobStore] {
    const inner = new MemoryBlobStore();
    const openWriter = async (options?: BlobWriterOptions): Promise<BlobWriter> => {
      const writer = await inner.openWriter(options);
      return {
        write(chunk) {
          bytes.fill(0);
          return writer.write(chunk);
        },
        commit: () => writer.commit(),
        abort: () => writer.abort(),
      };
    };
    return [inner, deduplicated(Object.assign(countingStore(inner), { openWriter }))];
  }

  test("are told, and nothing is left of them", async () => {
    const bytes = Buffer.from(randomBytes(300_000));
    const [inner, store] = changing(bytes);
    await expect(store.store(binary(bytes))).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("changed while it was stored"),
    });
    expect(await entriesOf(inner)).toEqual([]);
  });

  test.each([
    ["whole", (store: CompleteBlobStore, bytes: Uint8Array) => store.store(binary(bytes))],
    [
      "as a stream",
      (store: CompleteBlobStore, bytes: Uint8Array) => writeStream(store, bytes, 1e6),
    ],
  ])("%s, are not what others get who store what they have been", async (_title, write) => {
    const original = randomBytes(200_000);
    const bytes = Buffer.from(original);
    const [, store] = changing(bytes);
    await write(store, bytes).catch(() => undefined);
    const id = await store.store(binary(original));
    expect(Buffer.compare(contentBytes(await store.load(id)), original)).toBe(0);
  });
});
