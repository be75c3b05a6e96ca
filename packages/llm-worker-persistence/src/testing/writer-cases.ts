import assert from "node:assert/strict";
import type { Content } from "llm-worker/blob";
import { assertSameBytes, assertSameContent, entriesOf } from "./assertions.js";
import type { StoreExpectation } from "./expectation.js";
import { allByteValues, binary, json, largeArray, largeText, text } from "./samples.js";

/** That a blob can be written as a stream. */
export const writerCases: readonly StoreExpectation[] = [
  streamed("a text cut inside its characters", "漢字 😀\r\nend", text("漢字 😀\r\nend"), 1),
  streamed("a large text", largeText(), text(largeText()), 65_537),
  streamed(
    "a JSON array",
    '[1,"]",{"a":9007199254740993}]',
    json('[1,"]",{"a":9007199254740993}]'),
    3,
  ),
  streamed("a large JSON array", largeArray(), json(largeArray()), 100_003),
  streamed("text that begins like JSON", "[INFO] start {\nnext", text("[INFO] start {\nnext"), 4),
  streamed("an empty text", "", text(""), 1),
  {
    name: "a stream with a media type that is not text or JSON is kept as bytes of that type",
    needs: ["openWriter"],
    async run(store) {
      const writer = await store.openWriter({ mediaType: "image/png" });
      await writer.write(allByteValues());
      const { id, stat } = await writer.commit();
      assert.equal(stat.kind, "binary");
      assertSameContent(await store.load(id), binary(allByteValues(), "image/png"));
    },
  },
  {
    name: "nothing of a stream is visible before it is committed",
    needs: ["openWriter", "list"],
    async run(store) {
      const writer = await store.openWriter();
      await writer.write(Buffer.from(largeText()));
      assert.deepEqual(await entriesOf(store.list()), []);
      const { id } = await writer.commit();
      assert.deepEqual(
        (await entriesOf(store.list())).map((entry) => entry.id),
        [id],
      );
    },
  },
  {
    name: "nothing is left of an aborted stream, and its writer takes no more",
    needs: ["openWriter", "list"],
    async run(store) {
      const writer = await store.openWriter();
      await writer.write(Buffer.from(largeText()));
      await writer.abort();
      await writer.abort();
      await assert.rejects(writer.write(Buffer.from("more")));
      await assert.rejects(writer.commit());
      assert.deepEqual(await entriesOf(store.list()), []);
    },
  },
  {
    name: "a stream whose signal is aborted rejects with the signal's reason and leaves nothing",
    needs: ["openWriter", "list"],
    async run(store) {
      const controller = new AbortController();
      const writer = await store.openWriter({ signal: controller.signal });
      await writer.write(Buffer.from("begun"));
      const reason = new Error("enough");
      controller.abort(reason);
      await assert.rejects(writer.write(Buffer.from("more")), { message: reason.message });
      await assert.rejects(writer.commit(), { message: reason.message });
      assert.deepEqual(await entriesOf(store.list()), []);
    },
  },
  {
    name: "openWriter() with a signal that is already aborted rejects with its reason",
    needs: ["openWriter"],
    async run(store) {
      const reason = new Error("too late");
      await assert.rejects(store.openWriter({ signal: AbortSignal.abort(reason) }), {
        message: reason.message,
      });
    },
  },
  {
    name: "a committed stream takes no more, and to abort it then does not remove the blob",
    needs: ["openWriter"],
    async run(store) {
      const writer = await store.openWriter();
      await writer.write(Buffer.from("whole"));
      const { id } = await writer.commit();
      await assert.rejects(writer.write(Buffer.from("more")));
      await assert.rejects(writer.commit());
      await writer.abort();
      assertSameContent(await store.load(id), text("whole"));
    },
  },
  {
    name: "a chunk may be reused as soon as its write has resolved",
    needs: ["openWriter"],
    async run(store) {
      const writer = await store.openWriter();
      const chunk = new Uint8Array(3);
      for (const letter of ["a", "b", "c"]) {
        chunk.fill(letter.charCodeAt(0));
        await writer.write(chunk);
      }
      const { id } = await writer.commit();
      assertSameContent(await store.load(id), text("aaabbbccc"));
    },
  },
  {
    name: "writes that are not awaited keep their order, and commit waits for them",
    needs: ["openWriter"],
    async run(store) {
      const writer = await store.openWriter();
      const writes = ["one ", "two ", "three"].map((part) => writer.write(Buffer.from(part)));
      const { id } = await writer.commit();
      await Promise.all(writes);
      assertSameContent(await store.load(id), text("one two three"));
    },
  },
  {
    name: "many streams can be open at the same time",
    needs: ["openWriter"],
    async run(store) {
      const writers = await Promise.all(Array.from({ length: 40 }, () => store.openWriter()));
      for (const round of ["first", "second"]) {
        await Promise.all(
          writers.map((writer, number) => writer.write(Buffer.from(`${round} ${number}\n`))),
        );
      }
      const committed = await Promise.all(writers.map((writer) => writer.commit()));
      for (const [number, { id }] of committed.entries()) {
        assertSameContent(await store.load(id), text(`first ${number}\nsecond ${number}\n`));
      }
    },
  },
  {
    name: "the ends of a stream and of a reader are the same bytes",
    needs: ["openWriter", "openReader"],
    async run(store) {
      const writer = await store.openWriter();
      for (let round = 0; round < 20; round += 1) await writer.write(allByteValues(200));
      const { id, stat } = await writer.commit();
      const reader = await store.openReader(id);
      try {
        assert.deepEqual(reader.stat, stat);
        assertSameBytes(await reader.read(0, stat.byteCount), allByteValues(4_000));
      } finally {
        await reader.close();
      }
    },
  },
];

function streamed(
  what: string,
  value: string,
  expected: Content,
  chunkBytes: number,
): StoreExpectation {
  return {
    name: `${what} written as a stream is loaded as such`,
    needs: ["openWriter"],
    async run(store) {
      const bytes = Buffer.from(value);
      const writer = await store.openWriter();
      for (let start = 0; start < bytes.length; start += chunkBytes) {
        await writer.write(bytes.subarray(start, start + chunkBytes));
      }
      const { id, stat } = await writer.commit();
      assert.equal(stat.byteCount, bytes.length);
      assertSameContent(await store.load(id), expected);
    },
  };
}
