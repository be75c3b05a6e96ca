import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ChunkSource } from "./chunk-source.js";
import { PieceSource } from "./piece-source.js";

test("all bytes come, in pieces of 256 KiB, also of a tool that reuses its buffer", async () => {
  const size = fc.oneof(
    fc.integer({ min: 1, max: 100 }),
    fc.integer({ min: 60_000, max: 70_000 }),
    fc.integer({ min: 250_000, max: 300_000 }),
    fc.constantFrom(262_143, 262_144, 262_145, 524_288, 1_000_000),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(size, { maxLength: 20 }), async (sizes) => {
      const given: Buffer[] = [];
      async function* tool(): AsyncGenerator<Uint8Array> {
        const reused = Buffer.alloc(1_000_000);
        for (const [turn, length] of sizes.entries()) {
          reused.fill(turn + 1);
          given.push(Buffer.from(reused.subarray(0, length)));
          yield reused.subarray(0, length);
        }
      }
      const pieces = new PieceSource(new ChunkSource(tool(), undefined));
      const taken: Buffer[] = [];
      for (let piece = await pieces.next(); piece; piece = await pieces.next()) {
        taken.push(Buffer.from(piece));
      }
      expect(Buffer.concat(taken).equals(Buffer.concat(given))).toBe(true);
      const lengths = taken.slice(0, -1).map(({ length }) => length);
      expect(lengths.every((length) => length === 262_144)).toBe(true);
      expect(taken.at(-1)?.length ?? 0).toBeLessThanOrEqual(262_144);
    }),
    { numRuns: 100 },
  );
});
