import { describe, expect, test } from "vitest";
import { FaultyFileBackend } from "../../test/support/faulty-file-backend.js";
import { numberedLines, StreamingTool } from "../../test/support/streaming-tool.js";
import type { FileBackend } from "./file-backend.js";
import { offloadToFile, type OffloadToFileOptions } from "./offload-to-file.js";
import { leanLimits } from "./output-limits.js";
import type { OutputEvent, PolicyContext, ToolResultFields } from "./policy.js";

interface Bench<Backend extends FileBackend> {
  readonly backend: Backend;
  readonly events: OutputEvent[];
  readonly keep: (value: unknown, signal?: AbortSignal) => Promise<ToolResultFields>;
  readonly textIn: (fields: ToolResultFields) => Promise<string>;
}

function bench<Backend extends FileBackend>(
  backend: Backend,
  options: Partial<OffloadToFileOptions> = {},
): Bench<Backend> {
  const events: OutputEvent[] = [];
  const context: PolicyContext = {
    callId: "call_1",
    toolName: "run",
    isError: false,
    limits: { ...leanLimits, storeTimeoutMs: 50 },
    report: (event) => events.push(event),
  };
  const policy = offloadToFile({ backend, ...options });
  return {
    backend,
    events,
    keep: (value, signal) => policy.apply(value, { ...context, signal }),
    textIn: async ({ files }) =>
      Buffer.from(await backend.read(files?.[0]?.path ?? "", 0, Infinity)).toString(),
  };
}

describe("a streamed output", () => {
  test("that ends in time is in the history, and nothing was written", async () => {
    const { backend, keep } = bench(new FaultyFileBackend());
    const chunks = ["漢".repeat(40_000), Buffer.from("b".repeat(40_000))];
    expect(await keep(new StreamingTool(chunks))).toEqual({
      summary: "漢".repeat(40_000) + "b".repeat(40_000),
    });
    expect(await keep(new StreamingTool([]))).toEqual({ summary: "" });
    expect(backend.paths).toEqual([]);
  });

  test("has the notice that the same text in one piece would have", async () => {
    const { backend, keep, textIn } = bench(new FaultyFileBackend(), { tokenLimit: 100 });
    const streamed = await keep(new StreamingTool(numberedLines(100_000)));
    expect(await textIn(streamed)).toBe(numberedLines(100_000).join(""));
    await backend.delete("/large_tool_result/call_1");
    expect(await keep(numberedLines(100_000).join(""))).toEqual(streamed);
  });

  test("is asked about by your counter until it is over the limit, and no further", async () => {
    const counted: number[] = [];
    const tokenCounter = (text: string): number => {
      counted.push(text.length);
      return text.length / 100;
    };
    const { keep, textIn } = bench(new FaultyFileBackend(), { tokenLimit: 2000, tokenCounter });
    const fields = await keep(new StreamingTool(numberedLines(200_000)));
    expect(await textIn(fields)).toBe(numberedLines(200_000).join(""));
    expect(counted.at(-1)).toBeLessThan(600_000);
    expect(counted.length).toBeLessThan(5);
    const short = numberedLines(10_000).join("");
    expect(await keep(new StreamingTool(numberedLines(10_000)))).toEqual({ summary: short });
  });

  test("F4: characters that are split between chunks arrive whole, at the end of the limit too", async () => {
    const { keep, textIn } = bench(new FaultyFileBackend(), { tokenLimit: 10 });
    const text = "漢😀e\u0301👨‍👩‍👧‍👦".repeat(400);
    for (const size of [1, 7, 119, 120, 121]) {
      const bytes = Buffer.from(text);
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      const fields = await keep(new StreamingTool(chunks));
      expect((await textIn(fields)) === text).toBe(true);
      expect(fields.summary).not.toContain("\ufffd");
    }
  });

  test("F19: 256 MB go through a slow backend one piece at a time, by a buffer that is used again", async () => {
    const chunk = Buffer.alloc(65_534, "漢字\n");
    let taken = 0;
    let mostAhead = 0;
    let first = "";
    const tool = new StreamingTool(
      (function* () {
        yield Buffer.from("first\n");
        for (let i = 0; i < 4000; i += 1) yield chunk;
      })(),
    );
    const backend: FileBackend = {
      async write(path, chunks) {
        for await (const piece of chunks) {
          first ||= Buffer.from(piece.subarray(0, 6)).toString();
          taken += piece.length;
          mostAhead = Math.max(mostAhead, tool.yielded - taken / chunk.length);
          if (tool.yielded % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
        return path;
      },
      stat: () => Promise.resolve({ byteCount: taken }),
      read: () => Promise.reject(new Error("not here")),
    };
    const { summary, files } = await bench(backend).keep(tool);
    expect(mostAhead).toBeLessThanOrEqual(2);
    expect(first).toBe("first\n");
    expect(files?.[0]).toMatchObject({ byteCount: 262_136_006 });
    expect(summary).toContain(" | 262136006 bytes\n");
    expect(summary).toContain("\n1: first\n2: 漢字\n");
  });

  test("a value or a chunk of any size is written in pieces, each with the time that it may take", async () => {
    const bytes = Buffer.alloc(3_000_000, "a line of many\n");
    for (const value of [bytes, bytes.toString(), new StreamingTool([bytes, bytes])]) {
      const { keep, backend } = bench(new FaultyFileBackend(), { tokenLimit: 100 });
      const lengths: number[] = [];
      const write = backend.write.bind(backend);
      backend.write = (path, chunks) => {
        const counted = async function* (): AsyncGenerator<Uint8Array> {
          for await (const chunk of chunks) {
            lengths.push(chunk.length);
            yield chunk;
          }
        };
        return write(path, counted());
      };
      const { files } = await keep(value);
      expect(files?.[0]?.byteCount).toBe(lengths.reduce((sum, length) => sum + length, 0));
      expect(Math.max(...lengths)).toBe(262_144);
    }
  });

  test("F19: if the tool fails midway, what was read is kept and marked", async () => {
    const { keep, textIn } = bench(new FaultyFileBackend(), { tokenLimit: 100 });
    const fields = await keep(
      new StreamingTool(numberedLines(1000), new Error("lost\nin transit")),
    );
    expect(fields.isError).toBe(true);
    expect(fields.summary).toContain(
      "\nincomplete: the tool failed after 8893 bytes: lost in transit\n── first 10 lines ──\n",
    );
    expect(await textIn(fields)).toBe(numberedLines(1000).join(""));
    expect(await keep(new StreamingTool(["some"], new Error("lost")))).toEqual({
      summary: "some\nincomplete: the tool failed after 4 bytes: lost",
      isError: true,
    });
    const { summary } = await keep(new StreamingTool([], new Error("lost\n".repeat(1000))));
    expect(summary).toMatch(/ \| 1000 lines \| /);
  });

  test("an abort keeps what was read, also while the tool gives nothing", async () => {
    const { keep, textIn } = bench(new FaultyFileBackend(), { tokenLimit: 100 });
    const abort = new AbortController();
    const silent: AsyncIterable<string> = {
      async *[Symbol.asyncIterator]() {
        yield* numberedLines(1000);
        setImmediate(() => abort.abort());
        await new Promise(() => {});
      },
    };
    const fields = await keep(silent, abort.signal);
    expect(fields.isError).toBe(true);
    expect(fields.summary).toContain("\nincomplete: aborted after 8893 bytes\n");
    expect(await textIn(fields)).toBe(numberedLines(1000).join(""));
  });

  test.each([
    ["at its beginning", 0],
    ["midway", 2],
  ])(
    "if the backend fails %s, both ends are kept and the tool can clean up",
    async (_at, after) => {
      for (const fault of [{ code: "no_space" }, "hang"] as const) {
        const { backend, events, keep } = bench(new FaultyFileBackend());
        Object.assign(backend, { fault, afterChunks: after });
        const tool = new StreamingTool(numberedLines(100_000));
        const { summary, files } = await keep(tool);
        const code = fault === "hang" ? "timeout" : "no_space";
        expect(files).toBeUndefined();
        expect(summary).toMatch(
          new RegExp(`^\\[incomplete: .* \\(${code}\\), and the tool was stopped after \\d+ bytes`),
        );
        expect(summary).toContain("\nline 1\n");
        expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(leanLimits.fallbackMaxBytes);
        expect(tool.isCleanedUp).toBe(true);
        expect(tool.yielded).toBeLessThan(100_000);
        expect(events).toMatchObject([{ type: "output_store_failed", code }]);
        expect(backend.paths).toEqual([]);
        backend.release();
      }
    },
  );
});
