import { contentBytes } from "llm-worker/blob";
import type { Content } from "llm-worker/blob";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { entriesOf, idsOfType, randomBytes, writeStream } from "../../test/support/blob-pieces.js";
import { countingStore } from "../../test/support/counting-store.js";
import type { CompleteBlobStore } from "../blob-store.js";
import { cleanUp } from "../clean-up.js";
import { MemoryBlobStore } from "../memory-blob-store.js";
import { binary } from "../testing/samples.js";
import { deduplicated, type DeduplicatedBlobStore } from "./deduplicated.js";
import { CONTENT_MEDIA_TYPE, POINTER_MEDIA_TYPE } from "./pointer.js";
import { sharedPayloadIds } from "./shared-blobs.js";

const HOUR_MS = 3_600_000;
const payload = randomBytes(50_000);

function contentIds(inner: CompleteBlobStore): Promise<readonly string[]> {
  return idsOfType(inner, CONTENT_MEDIA_TYPE);
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

function advance(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

describe("deletion and clean-up", () => {
  test("to delete a blob takes nothing from others with the same payload", async () => {
    const inner = new MemoryBlobStore();
    const store = deduplicated(inner);
    const first = await store.store(binary(payload));
    const second = await store.store(binary(payload));
    await store.delete(first);
    expect(await store.exists(first)).toBe(false);
    expect(Buffer.compare(contentBytes(await store.load(second)), payload)).toBe(0);
  });

  test("payloads without a blob are removed when they are 25 hours old, others never", async () => {
    const inner = new MemoryBlobStore();
    const store = deduplicated(inner);
    const kept = await store.store(binary(payload));
    const other = randomBytes(9000, 7);
    await store.delete(await store.store(binary(other)));

    advance(24.9 * HOUR_MS);
    expect(await store.removeUnreferenced()).toMatchObject({ removedCount: 0, keptCount: 2 });
    advance(0.2 * HOUR_MS);
    const expected = { removedCount: 1, removedBytes: 9000, keptCount: 1 };
    expect(await store.removeUnreferenced({ dryRun: true })).toEqual(expected);
    expect(await contentIds(inner)).toHaveLength(2);
    expect(await store.removeUnreferenced()).toEqual(expected);
    expect(await contentIds(inner)).toHaveLength(1);
    advance(1000 * HOUR_MS);
    expect(await store.removeUnreferenced()).toMatchObject({ removedCount: 0 });
    expect(Buffer.compare(contentBytes(await store.load(kept)), payload)).toBe(0);
  });

  test("a payload is not shared with blobs that come a day later", async () => {
    const inner = new MemoryBlobStore();
    const store = deduplicated(inner);
    await store.store(binary(payload));
    advance(23.9 * HOUR_MS);
    await store.store(binary(payload));
    expect(await contentIds(inner)).toHaveLength(1);
    advance(0.2 * HOUR_MS);
    await store.store(binary(payload));
    expect(await contentIds(inner)).toHaveLength(2);
    advance(24 * HOUR_MS);
    expect(await deduplicated(inner).learn()).toBe(0);
  });

  test("a blob whose pointer comes too late is not stored, and nothing is left of it", async () => {
    const memory = new MemoryBlobStore();
    let standStillMs = 0;
    const inner: CompleteBlobStore = Object.assign(countingStore(memory), {
      async store(content: Content): Promise<string> {
        advance(standStillMs);
        return memory.store(content);
      },
    });
    const store = deduplicated(inner);
    await store.store(binary(payload));
    standStillMs = 26 * HOUR_MS;
    await expect(store.store(binary(payload))).rejects.toMatchObject({ code: "unavailable" });
    expect(await entriesOf(store)).toHaveLength(1);
  });

  test("removal beside a writer that stands still takes the payload of no blob that was stored", async () => {
    const stall = fc.integer({ min: 0, max: 90 }).map((minutes) => minutes * 60_000);
    const quarterHours = fc.integer({ min: 22 * 4, max: 26 * 4 });
    const skew = fc.integer({ min: -29, max: 29 }).map((minutes) => minutes * 60_000);
    await fc.assert(
      fc.asyncProperty(quarterHours, stall, stall, stall, skew, async (age, a, b, c, skewMs) => {
        const memory = new MemoryBlobStore();
        const other = deduplicated(memory, { now: () => Date.now() + skewMs });
        let isSlow = false;
        const inner: CompleteBlobStore = Object.assign(countingStore(memory), {
          async store(content: Content): Promise<string> {
            if (!isSlow) return memory.store(content);
            advance(a);
            await other.removeUnreferenced();
            advance(b);
            const id = await memory.store(content);
            advance(c);
            return id;
          },
        });
        const store = deduplicated(inner);
        await store.delete(await store.store(binary(payload)));
        advance((age * HOUR_MS) / 4);
        isSlow = true;
        const id = await store.store(binary(payload)).catch(() => undefined);
        await other.removeUnreferenced();
        const visible = (await entriesOf(store)).map((entry) => entry.id);
        expect(visible).toEqual(id === undefined ? [] : [id]);
        for (const each of visible) {
          expect(contentBytes(await other.load(each)).length).toBe(payload.length);
        }
      }),
      { numRuns: 200 },
    );
  });

  test("nothing is removed if a blob cannot be read that may name it", async () => {
    const inner = new MemoryBlobStore();
    const store = deduplicated(inner);
    await store.delete(await store.store(binary(payload)));
    const brokenId = await inner.store(binary(randomBytes(50), POINTER_MEDIA_TYPE));
    advance(100 * HOUR_MS);
    await expect(store.removeUnreferenced()).rejects.toMatchObject({
      code: "corrupt",
      blobId: brokenId,
    });
    expect(await contentIds(inner)).toHaveLength(1);
    await store.delete(brokenId);
    expect(await store.removeUnreferenced()).toMatchObject({ removedCount: 1 });
  });

  test("clean-up by reference works through the wrapper", async () => {
    const inner = new MemoryBlobStore();
    const store = deduplicated(inner);
    const [named, unnamed] = [
      await store.store(binary(payload)),
      await store.store(binary(payload)),
    ];
    advance(10 * 24 * HOUR_MS);
    async function* references(): AsyncGenerator<string> {
      yield named;
    }
    const { deleted } = await cleanUp({ store, references });
    expect(deleted.map(({ id }) => id)).toEqual([unnamed]);
    await store.removeUnreferenced();
    expect(Buffer.compare(contentBytes(await store.load(named)), payload)).toBe(0);
  });
});

test("who cleans up the store below keeps the payloads that pointers name", async () => {
  const inner = new MemoryBlobStore();
  const store = deduplicated(inner);
  const named = await store.store(binary(payload));
  await store.store(binary(randomBytes(9000, 3)));
  async function* references(): AsyncGenerator<string> {
    yield named;
    yield* sharedPayloadIds(inner);
  }
  advance(10 * 24 * HOUR_MS);
  for (const expectedCount of [1, 1, 0]) {
    expect((await cleanUp({ store: inner, references })).deleted.length).toBe(expectedCount);
  }
  expect(Buffer.compare(contentBytes(await store.load(named)), payload)).toBe(0);

  await inner.store(binary(randomBytes(50), POINTER_MEDIA_TYPE));
  await expect(cleanUp({ store: inner, references })).rejects.toMatchObject({ code: "corrupt" });
});

describe("crashes", () => {
  /** A store that dies before its n-th change, with the process that uses it. */
  function mortal(inner: CompleteBlobStore, changesLeft: () => boolean): CompleteBlobStore {
    const alive = (): void => {
      if (!changesLeft()) throw Object.assign(new Error("killed"), { code: "unavailable" });
    };
    return {
      store: async (content) => (alive(), inner.store(content)),
      load: (id) => inner.load(id),
      exists: (id) => inner.exists(id),
      stat: (id) => inner.stat(id),
      openReader: (id) => inner.openReader(id),
      async openWriter(options) {
        const writer = await inner.openWriter(options);
        return {
          write: (chunk) => writer.write(chunk),
          commit: async () => (alive(), writer.commit()),
          abort: () => writer.abort(),
        };
      },
      delete: async (id) => (alive(), inner.delete(id)),
      list: () => inner.list(),
    };
  }

  interface Step {
    readonly type: "store" | "stream" | "delete" | "sweep" | "learn" | "wait";
    readonly process: number;
    readonly number: number;
  }
  const steps: fc.Arbitrary<Step[]> = fc.array(
    fc.record({
      type: fc.constantFrom("store", "stream", "store", "delete", "sweep", "learn", "wait"),
      process: fc.nat({ max: 1 }),
      number: fc.nat({ max: 30 }),
    }),
    { maxLength: 25 },
  );
  const lives = fc.array(fc.nat({ max: 8 }), { maxLength: 6 });
  const contents = [1, 2, 3].map((seed) => randomBytes(300, seed));

  async function take(
    { type, number }: Step,
    store: DeduplicatedBlobStore,
    stored: Map<string, Uint8Array>,
  ): Promise<void> {
    const bytes = contents[number % contents.length] ?? payload;
    const id = [...stored.keys()][number];
    switch (type) {
      case "store":
        stored.set(await store.store(binary(bytes)), bytes);
        break;
      case "stream":
        stored.set(await writeStream(store, bytes, 100), bytes);
        break;
      case "delete":
        if (id !== undefined && (await store.delete(id))) stored.delete(id);
        break;
      case "sweep":
        await store.removeUnreferenced();
        break;
      case "learn":
        await store.learn();
        break;
      case "wait":
        advance(number * HOUR_MS);
    }
  }

  test("no blob that was stored loses its payload, whatever is deleted, removed or killed when", async () => {
    await fc.assert(
      fc.asyncProperty(steps, lives, async (todo, changesUntilDeath) => {
        const inner = new MemoryBlobStore();
        const deaths = [...changesUntilDeath];
        const start = (): DeduplicatedBlobStore => {
          let left = deaths.shift() ?? Infinity;
          return deduplicated(
            mortal(inner, () => left-- > 0),
            { minBytes: 0 },
          );
        };
        const processes = [start(), start()];
        const stored = new Map<string, Uint8Array>();
        for (const step of todo) {
          const store = processes[step.process] ?? start();
          await take(step, store, stored).catch((error: unknown) => {
            if (!(error instanceof Error) || error.message !== "killed") throw error;
            processes[step.process] = start();
          });
        }
        const survivor = deduplicated(inner);
        advance(26 * HOUR_MS);
        await survivor.removeUnreferenced();
        for (const [id, bytes] of stored) {
          expect(contentBytes(await survivor.load(id))).toEqual(bytes);
        }
        for (const { id } of await entriesOf(survivor)) await survivor.delete(id);
        await survivor.removeUnreferenced();
        expect(await entriesOf(inner)).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});
