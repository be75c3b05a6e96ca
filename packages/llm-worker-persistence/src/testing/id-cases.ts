import assert from "node:assert/strict";
import { assertRejectsWith, assertSameContent, UNKNOWN_ID } from "./assertions.js";
import type { StoreExpectation } from "./expectation.js";
import { text } from "./samples.js";

/** Ids that must be refused before they reach a path, a key or a query. */
export const MALFORMED_IDS: readonly unknown[] = [
  "",
  ".",
  "../../outside.txt",
  "/etc/hostname",
  "%2e%2e%2foutside",
  `../${UNKNOWN_ID}`,
  `${UNKNOWN_ID}/`,
  `${UNKNOWN_ID}.txt`,
  `${UNKNOWN_ID}\n`,
  `${UNKNOWN_ID}\u0000`,
  ` ${UNKNOWN_ID}`,
  `{${UNKNOWN_ID}}`,
  UNKNOWN_ID.replaceAll("-", ""),
  UNKNOWN_ID.replace("0", "٠"),
  "a".repeat(10_000),
  undefined,
  null,
  7,
  {},
  [UNKNOWN_ID],
  Symbol("id"),
];

/** What ids are and how wrong ones are answered. */
export const idCases: readonly StoreExpectation[] = [
  {
    name: "store() resolves to a UUID v7 in lower case, a new one each time",
    needs: [],
    async run(store) {
      const ids = [await store.store(text("same")), await store.store(text("same"))];
      for (const id of ids) {
        assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      }
      assert.notEqual(ids[0], ids[1]);
    },
  },
  {
    name: "ids sort in the order in which one store made them",
    needs: [],
    async run(store) {
      const ids: string[] = [];
      for (let count = 0; count < 20; count += 1) ids.push(await store.store(text(`${count}`)));
      assert.deepEqual(ids.toSorted(), ids);
    },
  },
  {
    name: "exists() is true for what was stored and false for what was not",
    needs: [],
    async run(store) {
      const id = await store.store(text("here"));
      assert.equal(await store.exists(id), true);
      assert.equal(await store.exists(UNKNOWN_ID), false);
    },
  },
  {
    name: "load() of an id that was never stored rejects with not_found",
    needs: [],
    run: (store) => assertRejectsWith("not_found", () => store.load(UNKNOWN_ID)),
  },
  {
    name: "load() and exists() reject a malformed id with invalid_id",
    needs: [],
    async run(store) {
      for (const id of MALFORMED_IDS) {
        // What a program without types, or a model, may pass.
        await assertRejectsWith("invalid_id", () => store.load(id as string));
        await assertRejectsWith("invalid_id", () => store.exists(id as string));
      }
    },
  },
  {
    name: "an id with another letter case is malformed",
    needs: [],
    async run(store) {
      let id: string;
      do id = await store.store(text("x"));
      while (!/[a-f]/.test(id));
      await assertRejectsWith("invalid_id", () => store.load(id.toUpperCase()));
      await assertRejectsWith("invalid_id", () => store.exists(id.toUpperCase()));
    },
  },
  {
    name: "blobs stored at the same time come back under their own ids",
    needs: [],
    async run(store) {
      const contents = Array.from({ length: 50 }, (_, number) =>
        text(`${number} `.repeat(1 + number * 200)),
      );
      const ids = await Promise.all(contents.map((content) => store.store(content)));
      assert.equal(new Set(ids).size, contents.length);
      const loaded = await Promise.all(ids.map((id) => store.load(id)));
      loaded.forEach((content, position) => {
        const expected = contents[position];
        assert.ok(expected);
        assertSameContent(content, expected);
      });
    },
  },
];
