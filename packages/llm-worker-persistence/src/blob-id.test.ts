import fc from "fast-check";
import { expect, test } from "vitest";
import { assertBlobId, createBlobId, isBlobId } from "./blob-id.js";
import { MALFORMED_IDS } from "./testing/id-cases.js";

test("a new id is accepted, and ids sort in the order they were made", () => {
  const ids = Array.from({ length: 1_000 }, createBlobId);
  for (const id of ids) assertBlobId(id);
  expect(ids.toSorted()).toEqual(ids);
});

test("what is not exactly a lower-case UUID v7 is refused", () => {
  for (const id of MALFORMED_IDS) {
    expect(isBlobId(id)).toBe(false);
    expect(() => assertBlobId(id)).toThrow(expect.objectContaining({ code: "invalid_id" }));
  }
});

test("UUIDs of other versions and variants are refused", () => {
  fc.assert(
    fc.property(fc.uuid({ version: [1, 2, 3, 4, 5, 6, 8] }), (id) => {
      expect(isBlobId(id)).toBe(false);
    }),
  );
  expect(isBlobId("00000000-0000-7000-0000-000000000000")).toBe(false);
  expect(isBlobId("00000000-0000-7000-c000-000000000000")).toBe(false);
});

test("an id with anything added, removed or changed is refused or still an id", () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 36 }),
      fc.nat({ max: 3 }),
      fc.string({ unit: "binary", maxLength: 3 }),
      (position, removed, added) => {
        const id = createBlobId();
        const changed = id.slice(0, position) + added + id.slice(position + removed);
        const safe = changed.length === 36 && /^[0-9a-f-]+$/.test(changed);
        expect(isBlobId(changed) && !safe).toBe(false);
      },
    ),
  );
});

test("the refusal does not repeat the id", () => {
  const secret = "sk-secret".repeat(1_000);
  expect(() => assertBlobId(secret)).toThrow(/^(?!.*secret).{1,200}$/);
});
