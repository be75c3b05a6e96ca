import fc from "fast-check";
import { expect, test } from "vitest";
import { createBytesReader } from "../blob/blob-reader.js";
import type { BlobReader } from "../blob/blob-store.js";
import { readBlob } from "./read.js";
import { createWindowReader } from "./window-reader.js";

interface Counted {
  readonly reader: BlobReader;
  readonly reads: (readonly [start: number, end: number])[];
}

function counted(source: BlobReader): Counted {
  const reads: [number, number][] = [];
  const { stat, index } = source;
  const reader: BlobReader = {
    stat,
    index,
    read(start, end) {
      reads.push([start, end]);
      return source.read(start, end);
    },
    close: () => source.close(),
  };
  return { reader, reads };
}

const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => (at * 31) % 251);

test("any reads through a window give what the blob has there, also at the same time", async () => {
  const offset = fc.integer({ min: -10, max: bytes.length + 10 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(offset, offset)), fc.boolean(), async (ranges, atOnce) => {
      const source = createBytesReader(bytes);
      const window = createWindowReader(source);
      const read = async ([start, end]: readonly [number, number]): Promise<void> => {
        const expected = await source.read(start, end);
        expect(Buffer.from(expected).equals(await window.read(start, end))).toBe(true);
      };
      if (atOnce) await Promise.all(ranges.map(read));
      else for (const range of ranges) await read(range);
    }),
  );
});

test("memory of the caller's is not kept as the window", async () => {
  const { stat } = createBytesReader(bytes);
  const window = createWindowReader({
    stat,
    read: async (start, end, into) => {
      if (into === undefined) return bytes.subarray(start, end);
      into.set(bytes.subarray(start, end));
      return into.subarray(0, end - start);
    },
    close: async () => undefined,
  });
  const memory = new Uint8Array(500);
  expect(await window.read(100, 600, memory)).toEqual(bytes.subarray(100, 600));
  memory.fill(0);
  expect(await window.read(100, 600)).toEqual(bytes.subarray(100, 600));
});

test("what lies in the window is not read again", async () => {
  const { reader, reads } = counted(createBytesReader(bytes));
  const window = createWindowReader(reader);
  for (const at of [1000, 1001, 5000, 20_000]) await window.read(at, at + 100);
  expect(reads).toHaveLength(1);
});

test("lines that the index leads to take one read, however long the text is", async () => {
  for (const lineCount of [20_000, 200_000]) {
    const text = Array.from({ length: lineCount }, (_, n) => `line ${n} of a log\n`).join("");
    const { reader, reads } = counted(createBytesReader(Buffer.from(text)));
    const store = {
      store: () => Promise.reject(new Error("not asked for")),
      load: () => Promise.reject(new Error("not asked for")),
      exists: () => Promise.reject(new Error("not asked for")),
      openReader: () => Promise.resolve(reader),
    };
    const first = lineCount - 100;
    const answer = await readBlob(store, "id", `lines:${first}-${first + 29}`);
    expect(answer.text).toContain(`\nline ${first - 1} of a log\n`);
    expect(reads).toHaveLength(1);
  }
});
