import assert from "node:assert/strict";
import type { BlobReader, Content } from "llm-worker/blob";
import type { CompleteBlobStore } from "../blob-store.js";
import { assertRejectsWith, assertSameBytes, UNKNOWN_ID } from "./assertions.js";
import type { StoreExpectation } from "./expectation.js";
import { allByteValues, binary, json, largeArray, largeText, text } from "./samples.js";

/** That ranges of a blob can be read. */
export const readerCases: readonly StoreExpectation[] = [
  {
    name: "a reader gives any range of a small and of a large blob",
    needs: ["openReader"],
    async run(store) {
      for (const value of ["short", largeText()]) {
        const bytes = Buffer.from(value);
        await withReader(store, text(value), async (reader) => {
          const middle = Math.floor(bytes.length / 2);
          for (const [start, end] of [
            [0, 1],
            [0, bytes.length],
            [middle, middle + 2],
            [bytes.length - 1, bytes.length],
          ] as const) {
            assertSameBytes(await reader.read(start, end), bytes.subarray(start, end));
          }
        });
      }
    },
  },
  {
    name: "a reader clamps a range to the blob, and a reversed one is empty",
    needs: ["openReader"],
    async run(store) {
      await withReader(store, binary(allByteValues()), async (reader) => {
        assertSameBytes(await reader.read(-5, 3), allByteValues().subarray(0, 3));
        assertSameBytes(await reader.read(250, 9_999), allByteValues().subarray(250));
        assertSameBytes(await reader.read(0, Number.POSITIVE_INFINITY), allByteValues());
        assert.equal((await reader.read(256, 300)).length, 0);
        assert.equal((await reader.read(20, 10)).length, 0);
      });
    },
  },
  {
    name: "ranges read at the same time do not mix",
    needs: ["openReader"],
    async run(store) {
      const bytes = Buffer.from(largeArray());
      await withReader(store, json(largeArray()), async (reader) => {
        const starts = Array.from({ length: 40 }, (_, number) => number * 20_011);
        const parts = await Promise.all(starts.map((start) => reader.read(start, start + 1_000)));
        parts.forEach((part, position) => {
          const start = starts[position] ?? 0;
          assertSameBytes(part, bytes.subarray(start, start + 1_000));
        });
      });
    },
  },
  {
    name: "changing bytes that were read does not change the blob",
    needs: ["openReader"],
    async run(store) {
      await withReader(store, binary(allByteValues()), async (reader) => {
        (await reader.read(0, 256)).fill(0);
        assertSameBytes(await reader.read(0, 256), allByteValues());
      });
    },
  },
  {
    name: "memory to read into, of whatever size, changes nothing but where the bytes are",
    needs: ["openReader"],
    async run(store) {
      const bytes = Buffer.from(largeText());
      await withReader(store, text(largeText()), async (reader) => {
        for (const size of [0, 999, 1_000, 70_000, bytes.length + 1]) {
          const memory = Buffer.alloc(size);
          for (const [start, end] of [
            [5, 1_005],
            [2_000, 70_000],
            [bytes.length - 10, bytes.length + 10],
          ] as const) {
            assertSameBytes(await reader.read(start, end, memory), bytes.subarray(start, end));
            // It is the caller's again.
            memory.fill(0);
            assertSameBytes(await reader.read(start, end), bytes.subarray(start, end));
          }
        }
      });
    },
  },
  {
    name: "a reader says of the blob what stat() says",
    needs: ["openReader", "stat"],
    async run(store) {
      for (const content of [text("a\n"), json(largeArray()), binary(allByteValues())]) {
        const id = await store.store(content);
        const reader = await store.openReader(id);
        await reader.close();
        assert.deepEqual(reader.stat, await store.stat(id));
      }
    },
  },
  {
    name: "if a reader of a text has an index, its offsets are where lines begin",
    needs: ["openReader"],
    async run(store) {
      const bytes = Buffer.from(largeText());
      await withReader(store, text(largeText()), async ({ index }) => {
        if (index === undefined) return;
        assert.ok(index.type === "text");
        let lineStart = 0;
        for (let position = 0; position < index.offsets.length; position += 1) {
          assert.equal(index.offsets.at(position), lineStart);
          for (let line = 0; line < index.stride; line += 1) {
            lineStart = bytes.indexOf("\n", lineStart) + 1;
          }
        }
      });
    },
  },
  {
    name: "a closed reader can be closed again and gives nothing more",
    needs: ["openReader"],
    async run(store) {
      const reader = await store.openReader(await store.store(text("x")));
      await reader.close();
      await reader.close();
      await assert.rejects(reader.read(0, 1));
    },
  },
  {
    name: "openReader() rejects with not_found for what was never stored, with invalid_id for no id",
    needs: ["openReader"],
    async run(store) {
      await assertRejectsWith("not_found", () => store.openReader(UNKNOWN_ID));
      await assertRejectsWith("invalid_id", () => store.openReader("../x"));
    },
  },
  {
    name: "a reader of a blob that was deleted meanwhile rejects with not_found",
    needs: ["openReader", "delete"],
    async run(store) {
      const id = await store.store(text(largeText()));
      const reader = await store.openReader(id);
      try {
        await store.delete(id);
        await assertRejectsWith("not_found", () => reader.read(0, 10));
      } finally {
        await reader.close();
      }
    },
  },
];

async function withReader(
  store: CompleteBlobStore,
  content: Content,
  check: (reader: BlobReader) => Promise<void>,
): Promise<void> {
  const reader = await store.openReader(await store.store(content));
  try {
    await check(reader);
  } finally {
    await reader.close();
  }
}
