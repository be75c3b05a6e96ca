import assert from "node:assert/strict";
import { assertRejectsWith, assertSameContent, entriesOf, UNKNOWN_ID } from "./assertions.js";
import type { StoreExpectation } from "./expectation.js";
import { allByteValues, binary, json, largeText, text } from "./samples.js";

/** That blobs can be removed and enumerated. */
export const deleteAndListCases: readonly StoreExpectation[] = [
  {
    name: "delete() resolves to true once; then the blob is gone and others are not",
    needs: ["delete"],
    async run(store) {
      const kept = await store.store(text("kept"));
      for (const content of [
        text(largeText()),
        json("[1]"),
        binary(allByteValues(), "image/png"),
      ]) {
        const id = await store.store(content);
        assert.equal(await store.delete(id), true);
        assert.equal(await store.delete(id), false);
        assert.equal(await store.exists(id), false);
        await assertRejectsWith("not_found", () => store.load(id));
      }
      assertSameContent(await store.load(kept), text("kept"));
    },
  },
  {
    name: "of two deletes at the same time one resolves to true",
    needs: ["delete"],
    async run(store) {
      const id = await store.store(text("x"));
      const results = await Promise.all([store.delete(id), store.delete(id)]);
      assert.equal(results.filter((deleted) => deleted).length, 1);
    },
  },
  {
    name: "delete() of what was never stored resolves to false, and rejects a malformed id",
    needs: ["delete"],
    async run(store) {
      assert.equal(await store.delete(UNKNOWN_ID), false);
      await assertRejectsWith("invalid_id", () => store.delete("../x"));
    },
  },
  {
    name: "list() of an empty store gives nothing",
    needs: ["list"],
    async run(store) {
      assert.deepEqual(await entriesOf(store.list()), []);
    },
  },
  {
    name: "list() gives each blob once, sorted by id, with its size and time",
    needs: ["list"],
    async run(store) {
      const contents = [
        text(""),
        text(largeText()),
        json("[1]"),
        binary(allByteValues(), "image/png"),
      ];
      const byteCounts = [0, Buffer.byteLength(largeText()), 3, 256];
      const ids = await Promise.all(contents.map((content) => store.store(content)));
      const entries = await entriesOf(store.list());
      assert.deepEqual(
        entries.map((entry) => entry.id),
        ids.toSorted(),
      );
      for (const entry of entries) {
        assert.equal(entry.byteCount, byteCounts[ids.indexOf(entry.id)]);
        assert.ok(Number.isSafeInteger(entry.storedAtMs) && entry.storedAtMs > 0);
      }
    },
  },
  {
    name: "list() can be left early, and does not give what was deleted before",
    needs: ["list", "delete"],
    async run(store) {
      const ids = await Promise.all(["a", "b", "c"].map((value) => store.store(text(value))));
      for await (const entry of store.list()) {
        await store.delete(entry.id);
        break;
      }
      const left = (await entriesOf(store.list())).map((entry) => entry.id);
      assert.deepEqual(left, ids.toSorted().slice(1));
    },
  },
];
