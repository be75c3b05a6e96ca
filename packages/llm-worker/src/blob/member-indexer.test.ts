import fc from "fast-check";
import { expect, test } from "vitest";
import { MemberIndexer } from "./member-indexer.js";

const members = fc
  .array(
    fc.tuple(fc.constantFrom("a", "b", "c", "d", undefined), fc.integer({ min: 1, max: 5000 })),
    {
      maxLength: 60,
    },
  )
  .map((parts) => {
    let at = 1;
    return parts.map(([key, size]) => {
      const start = at + 4;
      at = start + size;
      return { key, keyStart: start - 4, keyEnd: start - 1, start, end: at, firstByte: 0x31 };
    });
  });

test("what is listed is in order and the last of its key, whatever had to go", () => {
  fc.assert(
    fc.property(
      members,
      fc.integer({ min: 40, max: 400 }),
      fc.nat({ max: 30 }),
      (all, held, max) => {
        const indexer = new MemberIndexer(held);
        for (const member of all) indexer.add(member);
        const { entries, complete } = indexer.finish(max, () => 1);
        expect(indexer.memberCount).toBe(all.length);
        expect(complete).toBe(entries.length === all.length);
        expect(entries.length).toBeLessThanOrEqual(max);
        expect(entries).toEqual([...entries].sort((one, other) => one.start - other.start));
        for (const { key } of entries) {
          const listed = entries.findLast((entry) => entry.key === key);
          expect(listed?.start).toBe(all.findLast((member) => member.key === key)?.start);
        }
      },
    ),
    { numRuns: 500 },
  );
});

test("of too many alike none is listed, however few are held; bigger values are", () => {
  const indexer = new MemberIndexer(40 * 40);
  let at = 1;
  const add = (key: string, size: number): void => {
    indexer.add({
      key,
      keyStart: at,
      keyEnd: at + 2,
      start: at + 3,
      end: at + 3 + size,
      firstByte: 0,
    });
    at += size + 4;
  };
  for (let number = 0; number < 5000; number++) add(`small-${number}`, 8 + (number % 7));
  for (let number = 0; number < 10; number++) add(`big-${number}`, 1000);
  add("small-1", 9);
  const { entries, complete } = indexer.finish(20, () => 1);
  expect(complete).toBe(false);
  expect(indexer.memberCount).toBe(5011);
  const big = Array.from({ length: 10 }, (_, index) => `big-${index}`);
  expect(entries.map(({ key }) => key)).toEqual(big);
});

test("where not all fit, big values stay, and among similar ones the first", () => {
  const indexer = new MemberIndexer();
  const sizes = [10, 9, 100_000, 8, 11, 90_000];
  sizes.forEach((size, position) =>
    indexer.add({
      key: `k${position}`,
      keyStart: 0,
      keyEnd: 0,
      start: position * 1_000_000,
      end: position * 1_000_000 + size,
      firstByte: 0x31,
    }),
  );
  const { entries, complete } = indexer.finish(4, () => 1);
  expect(complete).toBe(false);
  expect(entries.map(({ key }) => key)).toEqual(["k0", "k1", "k2", "k5"]);
});
