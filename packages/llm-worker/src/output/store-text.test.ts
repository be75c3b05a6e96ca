import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FaultyStore, FaultyStreamStore } from "../../test/support/faulty-store.js";
import { lazyLoad } from "./lazy-load.js";
import { leanLimits } from "./output-limits.js";
import type { OutputEvent, ToolResultFields } from "./policy.js";
import { LARGE_TEXT_UNITS, writeText } from "./store-text.js";

const PIECE_BYTES = 262_144;
const DEADLINE = { timeoutMs: 10_000 };

function keep(
  text: string,
  store: FaultyStore,
  events: OutputEvent[] = [],
): Promise<ToolResultFields> {
  return lazyLoad().apply(text, {
    callId: "call_1",
    toolName: "read",
    isError: false,
    limits: leanLimits,
    store,
    report: (event) => events.push(event),
  });
}

describe("a text that is written in pieces", () => {
  // Around the ends of pieces, in characters of each length.
  const text = fc
    .tuple(
      fc.constantFrom("a", "é", "漢", "😀", "line\n"),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: -9, max: 9 }),
      fc.array(fc.constantFrom("a", "é", "漢", "😀", "\n", "\u0000"), { maxLength: 12 }),
    )
    .map(([unit, pieces, more, end]) => {
      const count = (pieces * PIECE_BYTES + more) / Buffer.byteLength(unit);
      return unit.repeat(Math.max(0, count)) + end.join("");
    });

  test("is byte for byte the same, whatever its characters", async () => {
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        const store = new FaultyStreamStore();
        const written: Uint8Array[] = [];
        store.onWrite = (chunk) => void written.push(Uint8Array.from(chunk));
        const { stat } = await writeText(store, value, DEADLINE);
        expect(Buffer.concat(written).equals(Buffer.from(value))).toBe(true);
        expect(stat.byteCount).toBe(Buffer.byteLength(value));
      }),
      { numRuns: 60 },
    );
  });

  test("leaves a piece alone until it is written, and writes one at a time", async () => {
    const store = new FaultyStreamStore();
    let underWay = 0;
    store.onWrite = async (chunk) => {
      underWay += 1;
      expect(underWay).toBe(1);
      const before = Buffer.from(chunk);
      await new Promise((resolve) => setImmediate(resolve));
      expect(before.equals(chunk)).toBe(true);
      underWay -= 1;
    };
    const value = Array.from({ length: 200_000 }, (_, line) => `line ${String(line)}\n`).join("");
    const { stat } = await writeText(store, value, DEADLINE);
    expect(stat.byteCount).toBe(value.length);
  });
});

describe("a large text", () => {
  const lines = `${"x".repeat(62)}\n`.repeat(LARGE_TEXT_UNITS / 63 + 1);
  const large: Record<string, string> = {
    lines: `first\n${lines}last`,
    "one wide line": `${"漢".repeat(LARGE_TEXT_UNITS)}😀`,
    NDJSON: '{"key":"value"}\n'.repeat(LARGE_TEXT_UNITS / 16 + 1),
  };

  test.each(Object.entries(large))("of %s is told as if it were stored whole", async (_, text) => {
    const [whole, streamed] = [new FaultyStore(), new FaultyStreamStore()];
    const [wholeEvents, streamedEvents]: OutputEvent[][] = [[], []];
    const fields = await keep(text, streamed, streamedEvents);
    expect(fields).toEqual(await keep(text, whole, wholeEvents));
    expect(streamedEvents).toEqual(wholeEvents);
    expect(streamed.calls).not.toContain("store");
    const id = fields.blob?.id ?? "";
    expect(streamed.blobs.get(id)).toEqual(whole.blobs.get(id));
  });

  test("is counted where the store does not tell how many lines it has", async () => {
    const store = new FaultyStreamStore();
    store.keepsBytes = false;
    const text = large["lines"] ?? "";
    const { summary } = await keep(text, store);
    expect(summary).toContain(
      `text | ${String(text.split("\n").length)} lines | ${text.length} bytes`,
    );
  });

  test.each(["openWriter", "write", "commit"])(
    "if %s fails, both ends are kept and the store can clean up",
    async (method) => {
      const store = new FaultyStreamStore();
      store.faults = { [method]: { code: "no_space" } };
      const events: OutputEvent[] = [];
      const { summary, blob } = await keep(large["lines"] ?? "", store, events);
      expect(blob).toBeUndefined();
      expect(summary).toMatch(/^\[incomplete: this output could not be stored \(no_space\)/);
      expect(summary).toContain("\nfirst\n");
      expect(summary).toMatch(/\nlast$/);
      expect(events).toMatchObject([{ type: "output_store_failed", code: "no_space" }]);
      expect(store.calls.includes("abort")).toBe(method !== "openWriter");
    },
  );

  test("that is not written in time is given up, and what comes late is removed", async () => {
    const store = new FaultyStreamStore();
    store.faults = { commit: "hang" };
    const late = writeText(store, "x", { timeoutMs: 5 });
    await expect(late).rejects.toMatchObject({ code: "timeout" });
    store.release();
    await expect.poll(() => store.calls).toContain("delete");
    expect(store.blobs.size).toBe(0);
  });
});
