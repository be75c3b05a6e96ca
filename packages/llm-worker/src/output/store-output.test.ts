import * as fc from "fast-check";
import { expect, test } from "vitest";
import { FaultyStore } from "../../test/support/faulty-store.js";
import type { Content } from "../blob/content.js";
import { keepDescription } from "../blob/known-description.js";
import { lazyLoad } from "./lazy-load.js";
import { leanLimits } from "./output-limits.js";
import { summarizeContent, withBlobId } from "./summary.js";
import { ToolOutput } from "./tool-output.js";

const text = fc
  .array(fc.constantFrom("a line\n", "x", "漢字", "😀", "\r\n", "\n", '{"key":1}\n'), {
    maxLength: 120,
  })
  .map((parts) => parts.join(""));
const json = fc.array(fc.nat(), { maxLength: 100 }).map((numbers) => JSON.stringify(numbers));
const someLimits = fc.record({
  inlineMaxBytes: fc.nat({ max: 100 }),
  summaryMaxBytes: fc.nat({ max: 300 }),
  headLines: fc.nat({ max: 6 }),
  tailLines: fc.nat({ max: 6 }),
});

test("what is over the threshold is stored exactly where its summary has at most half of its bytes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(text, json), someLimits, async (value, some) => {
      const limits = { ...leanLimits, ...some };
      const store = new FaultyStore();
      const { blob } = await lazyLoad().apply(value, {
        callId: "call_1",
        toolName: "read",
        isError: false,
        limits,
        store,
        report: () => undefined,
      });
      const output = ToolOutput.from(value, limits);
      const summary =
        output.kind === "stored"
          ? withBlobId("0".repeat(36), summarizeContent(output.content, limits))
          : value;
      const savesHalf = 2 * Buffer.byteLength(summary) <= Buffer.byteLength(value);
      expect(blob !== undefined).toBe(output.kind === "stored" && savesHalf);
    }),
    { numRuns: 2000 },
  );
});

/** Says of each text that it has seven lines. */
class CountingStore extends FaultyStore {
  override async store(content: Content): Promise<string> {
    const id = await super.store(content);
    if (content.type === "text") {
      const byteCount = Buffer.byteLength(content.text);
      const mediaType = "text/plain; charset=utf-8";
      keepDescription(content, { stat: { kind: "text", byteCount, lineCount: 7, mediaType } });
    }
    return id;
  }
}

test.each([
  ["a large text is not counted apart where the store has counted it", 300_000, 7],
  ["a small one is counted while the store is at work", 30_000, 1],
])("%s", async (_, length, lineCount) => {
  const text = "x".repeat(length);
  for (const value of [text, { summary: "what it is about", content: text }]) {
    const { summary } = await lazyLoad().apply(value, {
      callId: "call_1",
      toolName: "read",
      isError: false,
      limits: leanLimits,
      store: new CountingStore(),
      report: () => undefined,
    });
    const lines = `${lineCount} line${lineCount === 1 ? "" : "s"}`;
    expect(summary).toContain(` text | ${lines} | ${length} `);
  }
});
