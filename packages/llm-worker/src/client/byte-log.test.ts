import fc from "fast-check";
import { expect, test } from "vitest";
import { ByteLog } from "./byte-log.js";

const textOf = (pieces: readonly Uint8Array[]): string => Buffer.concat(pieces).toString();

test("what was appended comes back, whole and in part", () => {
  const text = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.nat(9000).map((n) => "ö".repeat(n)),
  );
  fc.assert(
    fc.property(fc.array(text), fc.nat(), fc.nat(), (texts, a, b) => {
      const log = new ByteLog(5);
      for (const one of texts) log.append(one);
      const bytes = Buffer.from(texts.join(""));
      expect(log.end).toBe(5 + bytes.length);
      expect(textOf(log.pieces())).toBe(texts.join(""));
      const [from, to] = [a % (log.end + 1), b % (log.end + 1)];
      const part = bytes.subarray(Math.max(from - 5, 0), Math.max(to - 5, 0));
      expect(Buffer.concat(log.pieces(from, to)).equals(part)).toBe(true);
    }),
  );
});

test("bytes stay where they are while the log grows", () => {
  const log = new ByteLog();
  log.append("first ");
  const [early] = log.pieces();
  for (let n = 0; n < 50_000; n += 1) log.append(`and ${n} `);
  const [first] = log.pieces();
  expect(textOf([early ?? Buffer.of()])).toBe("first ");
  expect(first?.buffer).toBe(early?.buffer);
  // Half a megabyte is not a piece for each text.
  expect(log.pieces().length).toBeLessThan(12);
});
