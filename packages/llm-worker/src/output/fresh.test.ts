import { describe, expect, test } from "vitest";
import { FaultyStore, FaultyStreamStore } from "../../test/support/faulty-store.js";
import { lazyLoad } from "./lazy-load.js";
import { freshLimits, type OutputLimits } from "./output-limits.js";
import type { OutputEvent, ToolResultFields } from "./policy.js";

function keeper(
  store: FaultyStore,
  limits: OutputLimits = freshLimits,
): { events: OutputEvent[]; keep: (value: unknown, isError?: true) => Promise<ToolResultFields> } {
  const events: OutputEvent[] = [];
  const policy = lazyLoad();
  const keep = (value: unknown, isError?: true): Promise<ToolResultFields> =>
    policy.apply(value, {
      callId: "c1",
      toolName: "read",
      isError: isError === true,
      limits,
      store,
      report: (event) => events.push(event),
    });
  return { events, keep };
}

const LINE = "something happened here\n";

describe("a fresh output", () => {
  test("of up to 1 KB is inline and not stored", async () => {
    const store = new FaultyStore();
    const text = "a".repeat(1024);
    expect(await keeper(store).keep(text)).toEqual({ summary: text });
    expect(store.calls).toEqual([]);
  });

  test("of up to 16 KiB is stored at once, and whole below one line that names the blob", async () => {
    const store = new FaultyStore();
    const { keep, events } = keeper(store);
    const text = "x\n".repeat(8192);
    const fields = await keep(text);
    const [[id, content] = []] = store.blobs;
    expect(content).toEqual({ type: "text", text });
    expect(fields).toEqual({
      summary: `[blob:${id}] text | 8192 lines | 16384 bytes`,
      content: text,
      blob: { id, kind: "text", byteCount: 16_384, count: 8192 },
    });
    expect(events.map(({ type }) => type)).toEqual(["output_stored"]);
  });

  test("of more is a summary with samples from the start", async () => {
    const fields = await keeper(new FaultyStore()).keep("x\n".repeat(8193));
    expect(fields.content).toBeUndefined();
    expect(fields.summary).toContain("── head ──");
  });

  test("that is JSON keeps its own bytes", async () => {
    const store = new FaultyStore();
    const raw = `[${"12345678901234567890, ".repeat(100)}1.0]`;
    const fields = await keeper(store).keep(raw);
    expect(fields.content).toBe(raw);
    expect(fields.summary).toMatch(/^\[blob:\S+\] json_array \| 101 entries \| \d+ bytes$/);
  });

  test("that is an error is flagged as one", async () => {
    const fields = await keeper(new FaultyStore()).keep(LINE.repeat(100), true);
    expect(fields).toMatchObject({ content: LINE.repeat(100), isError: true });
  });

  test("with the tool's own summary has those words between the first line and the content", async () => {
    const fields = await keeper(new FaultyStore()).keep({
      summary: "3 files match",
      content: LINE.repeat(100),
    });
    expect(fields.summary).toMatch(/^\[blob:\S+\] text \| 100 lines \| 2400 bytes\n3 files match$/);
    expect(fields.content).toBe(LINE.repeat(100));
  });

  test("that arrives as a stream is the same, and a longer stream is a summary", async () => {
    const store = new FaultyStreamStore();
    const stream = async function* (chunks: number): AsyncGenerator<string> {
      for (let i = 0; i < chunks; i += 1) yield LINE;
    };
    const { keep } = keeper(store);
    expect((await keep(stream(100))).content).toBe(LINE.repeat(100));
    expect((await keep(stream(1000))).content).toBeUndefined();
    expect(store.blobs.size).toBe(2);
  });

  test("that is no text is a stored summary", async () => {
    const fields = await keeper(new FaultyStore()).keep(new Uint8Array(2000));
    expect(fields.content).toBeUndefined();
    expect(fields.summary).toContain("binary");
  });

  test("that the store does not take is in the history as without the profile", async () => {
    const store = new FaultyStore();
    store.faults = { store: { code: "no_space" } };
    const { keep, events } = keeper(store);
    expect(await keep(LINE.repeat(100))).toEqual({ summary: LINE.repeat(100) });
    expect(events.map(({ type }) => type)).toEqual(["output_store_failed"]);
  });
});
