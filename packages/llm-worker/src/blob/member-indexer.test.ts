import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonObjectText } from "../../test/support/json-text.js";
import { cut, pieceSizes } from "../../test/support/pieces.js";
import { JsonPartScanner } from "./json-part-scanner.js";
import { entriesOf } from "./lookup.js";
import { MAX_INDEXED_KEY_UNITS, MemberIndexer } from "./member-indexer.js";

function indexed(json: string, sizes: readonly number[] = [Infinity], maxBytes?: number) {
  const members: unknown[] = [];
  const indexer = new MemberIndexer(maxBytes);
  const parts = new JsonPartScanner(
    {
      onMember: ({ key, start, end }) => members.push({ key, start, end }),
      onMembers: (keys, places) => indexer.add(keys, places),
    },
    { maxKeyUnits: Infinity },
  );
  for (const piece of cut(Buffer.from(json), sizes)) parts.write(piece);
  expect(parts.end()).toBe(true);
  return { indexer, members };
}

test("all members are listed as they are, or none, wherever they are cut", () => {
  const sizes = fc.nat({ max: 600 });
  fc.assert(
    fc.property(jsonObjectText, pieceSizes, sizes, sizes, (json, cuts, held, maxBytes) => {
      const { indexer, members } = indexed(json, cuts, held);
      const listed = indexer.finish(maxBytes);
      expect([...entriesOf(listed ?? [])]).toEqual(listed ? members : []);
      const all = indexed(json, cuts).indexer.finish(Infinity);
      expect([...entriesOf(all ?? [])]).toEqual(members);
    }),
  );
});

function objectOf(keys: readonly string[]): string {
  return `{${keys.map((key) => `"${key}":[${"0,".repeat(40)}1]`).join(",")}}`;
}

test("members are listed if there is room for them, and not beyond", () => {
  const { indexer } = indexed(objectOf(Array.from({ length: 1000 }, (_, n) => `k${n}`)));
  expect(indexer.finish(20_000)?.length).toBe(1000);
  expect(indexer.finish(5_000)).toBeUndefined();
});

test("keys that are written with escapes take as much room as what they stand for", () => {
  const keys = Array.from({ length: 3000 }, (_, n) => `${"\\u6f22".repeat(3)}${n}`);
  const { indexer, members } = indexed(objectOf(keys), [16_000]);
  expect([...entriesOf(indexer.finish(Infinity) ?? [])]).toEqual(members);
  expect(members[2999]).toMatchObject({ key: "漢漢漢2999" });
});

test("members that are too many to be listed are given up", () => {
  const { indexer } = indexed(objectOf(Array.from({ length: 20_000 }, (_, n) => `k${n}`)));
  expect(indexer.hasGivenUp).toBe(true);
  expect(indexer.finish(Infinity)).toBeUndefined();
});

test("where a key is too long to be indexed, none is listed", () => {
  const longest = "k".repeat(MAX_INDEXED_KEY_UNITS);
  expect(indexed(objectOf(["a", longest])).indexer.finish(Infinity)?.length).toBe(2);
  expect(indexed(objectOf(["a", `${longest}k`])).indexer.finish(Infinity)).toBeUndefined();
});
