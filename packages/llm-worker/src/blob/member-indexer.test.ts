import fc from "fast-check";
import { expect, test } from "vitest";
import { entriesOf } from "./lookup.js";
import { MemberIndexer } from "./member-indexer.js";

const members = fc
  .array(
    fc.tuple(
      fc.constantFrom("a", "b", "a long key", "\n", undefined),
      fc.integer({ min: 1, max: 5000 }),
    ),
    { maxLength: 60 },
  )
  .map((parts) => {
    let at = 1;
    return parts.map(([key, size]) => {
      const start = at + 4;
      at = start + size;
      return { key, keyStart: start - 4, keyEnd: start - 1, start, end: at, firstByte: 0x31 };
    });
  });

test("all members are listed, or none, however many bytes there are for them", () => {
  fc.assert(
    fc.property(members, fc.nat({ max: 600 }), fc.nat({ max: 600 }), (all, held, maxBytes) => {
      const indexer = new MemberIndexer(held);
      for (const member of all) indexer.add(member);
      const listed = indexer.finish(maxBytes);
      if (listed === undefined) return;
      expect([...entriesOf(listed)]).toEqual(
        all.map(({ key, start, end }) => ({ key, start, end })),
      );
    }),
  );
});

test("members are listed if there is room for them, and not beyond", () => {
  const indexer = new MemberIndexer();
  for (let n = 0; n < 1000; n++) {
    const start = 10 + n * 100;
    indexer.add({
      key: `k${n}`,
      keyStart: start - 8,
      keyEnd: start - 1,
      start,
      end: start + 90,
      firstByte: 0x31,
    });
  }
  expect(indexer.finish(20_000)?.length).toBe(1000);
  expect(indexer.finish(5_000)).toBeUndefined();
});

test("a key that could not be read is not listed, and then none is", () => {
  const indexer = new MemberIndexer();
  indexer.add({ key: "a", keyStart: 1, keyEnd: 4, start: 5, end: 6, firstByte: 0x31 });
  expect(indexer.finish(1000)?.length).toBe(1);
  indexer.add({
    key: undefined,
    keyStart: 7,
    keyEnd: 9000,
    start: 9001,
    end: 9002,
    firstByte: 0x31,
  });
  expect(indexer.finish(1000)).toBeUndefined();
});
