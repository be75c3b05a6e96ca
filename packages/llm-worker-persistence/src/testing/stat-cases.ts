import assert from "node:assert/strict";
import type { BlobStat, Content } from "llm-worker/blob";
import { assertRejectsWith, UNKNOWN_ID } from "./assertions.js";
import type { StoreExpectation } from "./expectation.js";
import { allByteValues, binary, json, largeArray, largeText, text } from "./samples.js";

const LINE_COUNTS: readonly (readonly [string, number])[] = [
  ["", 0],
  ["\n", 1],
  ["one", 1],
  ["one\n", 1],
  ["one\ntwo", 2],
  ["one\r\ntwo\r\n", 2],
  ["one\rstill one", 1],
  ["\n\n\n", 3],
];

/** That what a store says of a blob is exact. */
export const statCases: readonly StoreExpectation[] = [
  {
    name: "stat() counts the lines of a text as an editor shows them",
    needs: ["stat"],
    async run(store) {
      for (const [value, lineCount] of LINE_COUNTS) {
        const stat = await store.stat(await store.store(text(value)));
        assert.equal(stat.kind, "text");
        assert.equal(stat.lineCount, lineCount, JSON.stringify(value));
      }
    },
  },
  exact("a text", text("漢字\n"), { kind: "text", byteCount: 7, lineCount: 1 }),
  exact("an array", json(' [1,[2,3],"]"] '), { kind: "json_array", byteCount: 15, entryCount: 3 }),
  exact("an object with a key that occurs twice", json('{"a":1,"b":{"c":2},"a":3}'), {
    kind: "json_object",
    byteCount: 25,
    keyCount: 3,
  }),
  exact("any other JSON", json(" null"), { kind: "json_value", byteCount: 5 }),
  exact("bytes", binary(allByteValues(), "image/png"), {
    kind: "binary",
    byteCount: 256,
    mediaType: "image/png",
  }),
  exact(
    "text that is not valid UTF-8",
    binary(Buffer.from("caf\xe9\nb", "latin1"), "text/plain; charset=iso-8859-1"),
    {
      kind: "text",
      byteCount: 6,
      lineCount: 2,
      validUtf8: false,
      mediaType: "text/plain; charset=iso-8859-1",
    },
  ),
  exact("a large text", text(largeText()), {
    kind: "text",
    byteCount: Buffer.byteLength(largeText()),
    lineCount: 30_000,
  }),
  exact("a large array", json(largeArray()), {
    kind: "json_array",
    byteCount: Buffer.byteLength(largeArray()),
    entryCount: 20_000,
  }),
  {
    name: "stat() rejects with not_found for what was never stored, with invalid_id for no id",
    needs: ["stat"],
    async run(store) {
      await assertRejectsWith("not_found", () => store.stat(UNKNOWN_ID));
      await assertRejectsWith("invalid_id", () => store.stat("../x"));
    },
  },
];

function exact(what: string, content: Content, expected: Partial<BlobStat>): StoreExpectation {
  return {
    name: `stat() is exact for ${what}`,
    needs: ["stat"],
    async run(store) {
      const stat = await store.stat(await store.store(content));
      assert.deepEqual({ ...stat, ...expected }, stat);
    },
  };
}
