import { describe, expect, test } from "vitest";
import { replay } from "../src/economy/replay.js";
import { allInline, setups } from "../src/economy/setups.js";
import { parseTrace } from "../src/economy/trace.js";
import { sessionJsonl, turns } from "./session.js";

const trace = parseTrace("made", sessionJsonl(turns));

function setup(name: string): (typeof setups)[number] {
  const found = setups.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no setup ${name}`);
  return found;
}

describe("a replay", () => {
  test("sends one request for each recorded one, each going on where the last ended", async () => {
    const figures = await replay(trace, allInline, "never");
    expect(figures.requests).toBe(turns.length);
    expect(figures.cacheBreaks).toBe(0);
    expect(figures.sentBytes).toBeGreaterThan(figures.cachedBytes);
    // All that is sent anew is what each request adds, once.
    const outputBytes = [...trace.outputs.values()].reduce((sum, { text }) => sum + text.length, 0);
    const writtenBytes = figures.sentBytes - figures.cachedBytes;
    expect(writtenBytes).toBeGreaterThan(outputBytes);
    expect(writtenBytes).toBeLessThan(1.2 * outputBytes);
  });

  test("counts what the model wrote: texts, thoughts, names and arguments", async () => {
    const figures = await replay(trace, allInline, "never");
    const written = trace.answers
      .flat()
      .map((block) => (block.type === "tool_use" ? block.name + block.arguments : block.text));
    expect(figures.outputBytes).toBe(Buffer.byteLength(written.join("")));
  });

  test.each(setups.filter((one) => one.open().loadStored !== undefined))(
    "loses no byte under $name, and makes no request more unless the model looks",
    async (one) => {
      for (const looks of one.looks) {
        const { reachability, requests } = await replay(trace, one, looks);
        expect(reachability?.outputCount).toBe(trace.outputs.size);
        expect(reachability?.lostCount).toBe(0);
        expect(requests - turns.length).toBeLessThanOrEqual(looks === "never" ? 0 : 10);
      }
    },
  );

  test("sends less the leaner the profile, and breaks the cache only where contents grow old", async () => {
    const lean = await replay(trace, setup("lazy_load/lean"), "never");
    const fresh = await replay(trace, setup("lazy_load/fresh"), "never");
    const inline = await replay(trace, allInline, "never");
    expect(lean.sentBytes).toBeLessThan(fresh.sentBytes);
    expect(fresh.sentBytes).toBeLessThan(inline.sentBytes);
    expect([lean.cacheBreaks, fresh.cacheBreaks]).toEqual([0, 1]);
    expect(fresh.reachability?.storedCallCount).toBe(1);
  });

  test("with looks makes a call for each output that is not whole, once", async () => {
    const { requests: never } = await replay(trace, setup("lazy_load/fresh"), "never");
    const { requests: unseen } = await replay(trace, setup("lazy_load/fresh"), "unseen");
    const { requests: every } = await replay(trace, setup("lazy_load/fresh"), "every");
    // The log of 60 KB is a summary from the start; the rest of a batch is looked at together.
    expect([unseen - never, every - never]).toEqual([1, 2]);
  });

  test("keeps the recorded outputs of baselines as their rules say", async () => {
    const eino = await replay(trace, setup("eino_default"), "never");
    const inline = await replay(trace, allInline, "never");
    const requestsAfter = turns.length - 3;
    const savedBytes = inline.sentBytes - eino.sentBytes;
    expect(savedBytes / requestsAfter).toBeGreaterThan(9000);
    expect(savedBytes / requestsAfter).toBeLessThan(12_000);
    expect(eino.reachability).toBeUndefined();
  });
});
