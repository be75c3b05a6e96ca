import { getEventListeners } from "node:events";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FaultyStore, FaultyStreamStore } from "../../test/support/faulty-store.js";
import { numberedLines, StreamingTool } from "../../test/support/streaming-tool.js";
import { lazyLoad } from "./lazy-load.js";
import { leanLimits, type OutputLimits } from "./output-limits.js";
import type { OutputEvent, PolicyContext, ToolResultFields } from "./policy.js";

interface Bench<Store extends FaultyStore> {
  readonly store: Store;
  readonly events: OutputEvent[];
  readonly keep: (value: unknown, overrides?: Partial<PolicyContext>) => Promise<ToolResultFields>;
}

function bench<Store extends FaultyStore>(
  store: Store,
  limits: Partial<OutputLimits> = {},
): Bench<Store> {
  const events: OutputEvent[] = [];
  return {
    store,
    events,
    keep: (value, overrides) =>
      lazyLoad().apply(value, {
        callId: "call_1",
        toolName: "run",
        isError: false,
        limits: { ...leanLimits, ...limits },
        store,
        report: (event) => events.push(event),
        ...overrides,
      }),
  };
}

describe("a streamed output", () => {
  test("that ends below the threshold is inline, and nothing was stored", async () => {
    const { store, keep } = bench(new FaultyStreamStore());
    expect(await keep(new StreamingTool(["a".repeat(400), Buffer.from("b".repeat(400))]))).toEqual({
      summary: "a".repeat(400) + "b".repeat(400),
    });
    expect(await keep(new StreamingTool([]))).toEqual({ summary: "" });
    expect(store.calls).toEqual([]);
  });

  test("is stored and summarised as the same text in one piece would be", async () => {
    const { store, keep } = bench(new FaultyStreamStore());
    const text = numberedLines(5000).join("");
    const streamed = await keep(new StreamingTool(numberedLines(5000)));
    const whole = await keep(text);
    const at = (fields: ToolResultFields): unknown => store.blobs.get(fields.blob?.id ?? "");
    expect(at(streamed)).toEqual({ type: "text", text });
    expect(streamed.summary.slice(48)).toBe(whole.summary.slice(48));
    expect(streamed.blob).toMatchObject({ kind: "text", byteCount: 48_893, count: 5000 });
    expect(store.calls.filter((call) => call === "store")).toHaveLength(1);
  });

  test("of JSON has totals, schema and first elements", async () => {
    const { keep } = bench(new FaultyStreamStore());
    const raw = JSON.stringify(Array.from({ length: 20_000 }, (_, id) => ({ id, n: "x" })));
    const { summary } = await keep(new StreamingTool(raw.match(/.{1,5000}/gs) ?? []));
    expect(summary).toMatch(
      /\] json_array \| 20000 entries \| 408891 bytes\n── schema ──\nid: number, n: string\n── head ──\n\{"id":0,"n":"x"\}\n\{"id":1,"n":"x"\}$/,
    );
  });

  test("says of a value that goes beyond what is held that it has seen only a part", async () => {
    const { keep } = bench(new FaultyStreamStore());
    const raw = JSON.stringify({ a: 1, rows: Array.from({ length: 90_000 }, (_, i) => i), z: 1 });
    const { summary } = await keep(new StreamingTool(raw.match(/.{1,65536}/gs) ?? []));
    expect(summary).toMatch(
      /json_object \| 3 keys .*\n.*\na: number, rows: array\(\d+\+\), … \+1 more$/s,
    );
  });

  test("F4: characters that are split between chunks arrive whole", async () => {
    const text = "漢😀e\u0301👨‍👩‍👧‍👦".repeat(400);
    const cuts = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(cuts, fc.boolean(), async (sizes, isBytes) => {
        const { store, keep } = bench(new FaultyStreamStore());
        const source = isBytes ? Buffer.from(text) : text;
        const chunks: unknown[] = [];
        for (let at = 0, turn = 0; at < source.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          chunks.push(
            isBytes ? Buffer.from(text).subarray(at, at + size) : text.slice(at, at + size),
          );
          at += size;
        }
        const { summary, blob } = await keep(new StreamingTool(chunks));
        expect(store.blobs.get(blob?.id ?? "")).toEqual({ type: "text", text });
        expect(summary).not.toContain("\ufffd");
        expect(summary.isWellFormed()).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  test("F5: half a character that stays alone becomes U+FFFD", async () => {
    const { keep } = bench(new FaultyStreamStore());
    expect((await keep(new StreamingTool(["a\ud83d", "b", "c\ud83d"]))).summary).toBe(
      "a\ufffdbc\ufffd",
    );
    expect((await keep(new StreamingTool(["a\ud83d", Buffer.from("b")]))).summary).toBe("a\ufffdb");
  });

  test("of one string larger than the pieces that it is written in arrives whole", async () => {
    const { store, keep } = bench(new FaultyStreamStore());
    const text = "x" + "😀".repeat(100_000);
    const { blob } = await keep(new StreamingTool([text]));
    expect(store.blobs.get(blob?.id ?? "")).toEqual({ type: "text", text });
    expect(store.calls.filter((call) => call === "write").length).toBeGreaterThan(2);
  });

  test("a tool may use its buffer again", async () => {
    const { keep } = bench(new FaultyStreamStore());
    const buffer = Buffer.alloc(3);
    function* reused(): Generator<Uint8Array> {
      for (const word of ["one", "two"]) {
        buffer.write(word);
        yield buffer;
      }
    }
    expect((await keep(new StreamingTool(reused()))).summary).toBe("onetwo");
  });

  test("F19: 256 MB go through a slow store, no more ahead of it than a few chunks", async () => {
    const { store, keep } = bench(new FaultyStreamStore());
    const chunk = Buffer.alloc(65_536, "漢字\n");
    function* chunks(): Generator<Uint8Array> {
      yield Buffer.from("first\n");
      for (let index = 0; index < 4000; index += 1) yield chunk;
      yield Buffer.from("\nlast");
    }
    const tool = new StreamingTool(chunks());
    let written = 0;
    let takenBytes = 0;
    let mostAhead = 0;
    store.keepsBytes = false;
    store.onWrite = async ({ length }) => {
      written += 1;
      takenBytes += length;
      mostAhead = Math.max(mostAhead, tool.yielded - takenBytes / chunk.length);
      if (written % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    };
    const { summary, blob } = await keep(tool);
    expect(mostAhead).toBeLessThanOrEqual(2);
    expect(blob?.byteCount).toBe(4000 * 65_536 + 11);
    expect(summary).toMatch(
      /^\[blob:.*\] text \| \d+ lines \| 262144011 bytes\n── head ──\nfirst\n漢字\n/,
    );
    expect(summary).toMatch(/\nlast$/);
  });

  test("F19: if the tool fails midway, what was read is kept and marked", async () => {
    const { store, keep } = bench(new FaultyStreamStore());
    const fields = await keep(
      new StreamingTool(numberedLines(1000), new Error(`lost\n${"x".repeat(9000)}`)),
    );
    expect(fields.isError).toBe(true);
    expect(fields.summary).toMatch(
      /^\[blob:.*\] text \| 1000 lines \| 8893 bytes\nincomplete: the tool failed after 8893 bytes: lost x+.*…\n── head ──/,
    );
    expect(Buffer.byteLength(fields.summary)).toBeLessThanOrEqual(400);
    expect(store.blobs.get(fields.blob?.id ?? "")).toEqual({
      type: "text",
      text: numberedLines(1000).join(""),
    });
  });

  test("a tool that fails early has its few words and the reason inline", async () => {
    const { keep } = bench(new FaultyStreamStore());
    expect(await keep(new StreamingTool(["some"], new Error("lost")))).toEqual({
      summary: "some\nincomplete: the tool failed after 4 bytes: lost",
      isError: true,
    });
    expect(await keep(new StreamingTool([], new Error("lost")))).toEqual({
      summary: "lost",
      isError: true,
    });
    const { summary } = await keep(new StreamingTool([], new Error("lost\n".repeat(1000))));
    expect(summary).toMatch(/^\[blob:.*\] text \| 1000 lines/);
  });

  test("a stream of anything else is a failure of the tool, which may clean up", async () => {
    const { keep } = bench(new FaultyStreamStore());
    const tool = new StreamingTool(["some", { row: 1 }]);
    expect(await keep(tool)).toEqual({
      summary:
        "some\nincomplete: the tool failed after 4 bytes: the stream gave object where strings or bytes are read",
      isError: true,
    });
    expect(tool.isCleanedUp).toBe(true);
  });

  test("so is a chunk whose bytes are gone", async () => {
    const { keep } = bench(new FaultyStreamStore());
    const chunk = new Uint8Array(10);
    structuredClone(chunk.buffer, { transfer: [chunk.buffer] });
    expect(await keep(new StreamingTool(["some", chunk]))).toEqual({
      summary:
        "some\nincomplete: the tool failed after 4 bytes: the stream gave a detached ArrayBuffer where strings or bytes are read",
      isError: true,
    });
  });

  test("an abort keeps what was read, also while the tool gives nothing", async () => {
    const { store, keep } = bench(new FaultyStreamStore());
    const abort = new AbortController();
    const silent: AsyncIterable<string> = {
      async *[Symbol.asyncIterator]() {
        yield* numberedLines(1000);
        setImmediate(() => {
          abort.abort();
        });
        await new Promise(() => {});
      },
    };
    const fields = await keep(silent, { signal: abort.signal });
    expect(fields.isError).toBe(true);
    expect(fields.summary).toContain("\nincomplete: aborted after 8893 bytes\n");
    expect(await store.exists(fields.blob?.id ?? "")).toBe(true);
    expect(await keep(new StreamingTool(["a"]), { signal: abort.signal })).toEqual({
      summary: "incomplete: aborted after 0 bytes",
      isError: true,
    });
  });

  test.each(["openWriter", "write", "commit"])(
    "if %s of the store fails, both ends are kept and the tool can clean up",
    async (call) => {
      for (const fault of [{ code: "no_space" }, "hang"] as const) {
        const { store, events, keep } = bench(new FaultyStreamStore(), { storeTimeoutMs: 5 });
        store.faults = { [call]: fault };
        const tool = new StreamingTool(numberedLines(20_000));
        const { summary, blob } = await keep(tool);
        const code = fault === "hang" ? "timeout" : "no_space";
        expect(blob).toBeUndefined();
        expect(summary).toMatch(
          new RegExp(`^\\[incomplete: this output could not be stored \\(${code}\\)`),
        );
        expect(summary).not.toContain("[blob:");
        expect(summary).toContain("\nline 1\n");
        expect(summary).not.toContain(" 0 bytes");
        expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(leanLimits.fallbackMaxBytes);
        expect(summary.includes("the tool was stopped")).toBe(call !== "commit");
        expect(tool.isCleanedUp).toBe(true);
        expect(events).toMatchObject([{ type: "output_store_failed", code }]);
        store.release();
      }
    },
  );

  test("the clean-up of a tool that is stopped is waited for", async () => {
    const { store, keep } = bench(new FaultyStreamStore());
    store.faults = { write: { code: "no_space" } };
    let isCleanedUp = false;
    await keep(
      (async function* () {
        try {
          yield* numberedLines(20_000);
        } finally {
          await new Promise((resolve) => setImmediate(resolve));
          isCleanedUp = true;
        }
      })(),
    );
    expect(isCleanedUp).toBe(true);
  });

  test("where tool and store both fail, the result says both, and is an error", async () => {
    const { store, keep } = bench(new FaultyStreamStore());
    store.faults = { commit: { code: "no_space" } };
    const { summary, isError } = await keep(
      new StreamingTool(numberedLines(5000), new Error("the upstream is gone")),
    );
    expect(isError).toBe(true);
    expect(summary).toContain("could not be stored (no_space)");
    expect(summary).toMatch(/the tool failed after 4\d{4} bytes: the upstream is gone/);
  });

  test("a tool whose clean-up hangs after a failure of the store is left at an abort", async () => {
    const { store, keep } = bench(new FaultyStreamStore());
    store.faults = { write: { code: "no_space" } };
    const abort = new AbortController();
    const stream: AsyncIterable<string> = {
      async *[Symbol.asyncIterator]() {
        try {
          for (;;) yield "words\n".repeat(1000);
        } finally {
          setImmediate(() => abort.abort());
          await new Promise(() => {});
        }
      },
    };
    const { summary } = await keep(stream, { signal: abort.signal });
    expect(summary).toContain("could not be stored (no_space)");
    expect(getEventListeners(abort.signal, "abort")).toHaveLength(0);
  });

  test("if a write fails midway, the writer is told to leave nothing behind", async () => {
    const { store, keep } = bench(new FaultyStreamStore());
    let writes = 0;
    store.onWrite = () => {
      writes += 1;
      if (writes === 3) throw new Error("disk gone");
    };
    const { summary } = await keep(new StreamingTool(numberedLines(100_000)));
    const [, read, shown] =
      /, and the tool was stopped after (\d+) bytes\. (\d+) of \1 bytes are shown: /.exec(
        summary,
      ) ?? [];
    expect(Number(read)).toBeGreaterThan(65_536);
    expect(Number(shown)).toBeLessThan(16_384);
    expect(store.calls.at(-1)).toBe("abort");
    expect(store.blobs.size).toBe(0);
  });

  test("a chunk of any size is written in pieces, each with the time that a write may take", async () => {
    const chunk = Buffer.alloc(3_000_000, "a line of many\n");
    for (const chunks of [[chunk], ["first\n".repeat(200), chunk, chunk.toString()]]) {
      const { store, keep } = bench(new FaultyStreamStore());
      const lengths: number[] = [];
      store.onWrite = (piece) => void lengths.push(piece.length);
      const { blob } = await keep(new StreamingTool(chunks));
      const text = chunks.join("");
      expect(store.blobs.get(blob?.id ?? "")).toEqual({ type: "text", text });
      expect(Math.max(...lengths)).toBe(262_144);
    }
  });

  test("of a binary stream that could not be stored nothing is shown", async () => {
    const { store, keep } = bench(new FaultyStreamStore());
    store.faults = { commit: { code: "forbidden" } };
    expect(await keep(new StreamingTool([Buffer.alloc(5000)]))).toEqual({
      summary:
        "[incomplete: this output could not be stored (forbidden). 0 of 5000 bytes are shown]",
    });
  });

  test("a store without streamed writes gets it in one piece", async () => {
    const { store, keep } = bench(new FaultyStore());
    const { blob } = await keep(new StreamingTool(numberedLines(5000)));
    expect(store.blobs.get(blob?.id ?? "")).toEqual({
      type: "text",
      text: numberedLines(5000).join(""),
    });
    expect(store.calls).toEqual(["store"]);
  });

  test("an image is stored as an image", async () => {
    const { keep } = bench(new FaultyStreamStore());
    const png = Buffer.alloc(9000);
    png.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    expect((await keep(new StreamingTool([png]))).summary).toMatch(
      /\] binary image\/png \| 9000 bytes$/,
    );
  });
});
