import * as fc from "fast-check";
import { expect, test } from "vitest";
import { StreamSample } from "./stream-sample.js";
import { countLines } from "./text-sample.js";

test("knows both ends and the totals of what went by, however it was cut", () => {
  const pieces = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 40 }));
  fc.assert(
    fc.property(pieces, fc.integer({ min: 1, max: 30 }), (chunks, windowBytes) => {
      const sample = new StreamSample(windowBytes);
      for (const chunk of chunks) sample.add(Buffer.from(chunk));
      const all = chunks.join("");
      const isWhole = all.length <= 2 * windowBytes;
      expect(sample.byteCount).toBe(all.length);
      expect(sample.lineCount).toBe(countLines(all));
      expect(sample.text()).toEqual({
        head: isWhole ? all : all.slice(0, windowBytes),
        tail: isWhole ? "" : all.slice(-windowBytes),
        isWhole,
      });
    }),
    { numRuns: 500 },
  );
});

test("a window that cuts a character leaves it out", () => {
  const sample = new StreamSample(4);
  for (const byte of Buffer.from("漢字漢字漢字")) sample.add(Uint8Array.of(byte));
  expect(sample.text()).toEqual({ head: "漢", tail: "字", isWhole: false });
});
