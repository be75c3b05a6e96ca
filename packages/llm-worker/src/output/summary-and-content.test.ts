import { describe, expect, test } from "vitest";
import { FaultyStore } from "../../test/support/faulty-store.js";
import { leanLimits } from "./output-limits.js";
import type { PolicyContext, ToolResultFields } from "./policy.js";
import { summaryAndContent, type SummaryAndContentOptions } from "./summary-and-content.js";
import { ToolOutput } from "./tool-output.js";

function keep(
  value: unknown,
  overrides: Partial<PolicyContext> = {},
  options?: SummaryAndContentOptions,
): Promise<ToolResultFields> {
  return summaryAndContent(options).apply(value, {
    callId: "call_1",
    toolName: "read",
    isError: false,
    limits: leanLimits,
    report: () => {},
    ...overrides,
  });
}

async function* stream(chunks: Iterable<unknown>, failure?: Error): AsyncGenerator<unknown> {
  yield* chunks;
  if (failure !== undefined) throw failure;
}

const lines = "one line of many\r\n".repeat(100);

describe("summaryAndContent", () => {
  test("a small output is its own summary", async () => {
    expect(await keep("a".repeat(800))).toEqual({ summary: "a".repeat(800) });
    expect(await keep({ a: 1 })).toEqual({ summary: '{"a":1}' });
    expect(await keep(undefined)).toEqual({ summary: "" });
    expect(await keep("a\ud83d")).toEqual({ summary: "a\ufffd" });
  });

  test("F5: half a character becomes U+FFFD, in the tool's own summary and in its failure too", async () => {
    const own = { kind: "stored", summary: "a\ud83d", content: { type: "text", text: "b\ud83d" } };
    expect((await keep(own)).summary).toBe("a\ufffd\nb\ufffd");
    const failed = await keep(stream(["some"], new Error("c\ud83d")));
    expect(failed.summary).toMatch(/: c\ufffd$/);
    expect(failed.isError).toBe(true);
  });

  test("a larger one has line count and first line as summary, and is there whole", async () => {
    expect(await keep(lines)).toEqual({ summary: "100 lines | one line of many…", content: lines });
    expect(await keep("abc", {}, { summaryThresholdBytes: 2 })).toEqual({
      summary: "1 line | abc",
      content: "abc",
    });
  });

  test("the first line is cut to 80 characters between whole ones", async () => {
    const text = `${"x".repeat(79)}${"👨‍👩‍👧‍👦".repeat(100)}`;
    expect((await keep(text)).summary).toBe(`1 line | ${"x".repeat(79)}…`);
    expect((await keep("y".repeat(900))).summary).toBe(`1 line | ${"y".repeat(80)}…`);
  });

  test("an error keeps its flag", async () => {
    expect(await keep(new Error("no"), { isError: true })).toEqual({
      summary: "no",
      isError: true,
    });
    expect(await keep(lines, { isError: true })).toMatchObject({ content: lines, isError: true });
  });

  test("the tool's own summary takes the place of ours", async () => {
    expect(await keep({ summary: "a table", content: lines })).toEqual({
      summary: "a table",
      content: lines,
    });
    expect(await keep(ToolOutput.stored("a table", { type: "text", text: lines }))).toEqual({
      summary: "a table",
      content: lines,
    });
    expect(await keep({ summary: "a table", content: "tiny" })).toEqual({
      summary: "a table\ntiny",
    });
    expect(await keep(ToolOutput.inline(lines))).toEqual({ summary: lines });
  });

  test("a stream is collected; if it fails, the summary says so and what was read stays", async () => {
    const pieces = Array.from({ length: 100 }, () => "one line of many\r\n");
    expect(await keep(stream(pieces))).toEqual(await keep(lines));
    expect(await keep(stream(pieces, new Error("lost")))).toEqual({
      summary: "100 lines | one line of many…\nincomplete: the tool failed after 1800 bytes: lost",
      content: lines,
      isError: true,
    });
  });

  test("a stream without end is stopped at the limit, and the summary says so", async () => {
    let isCleanedUp = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      const chunk = Buffer.alloc(8 * 1024 * 1024, "x");
      try {
        for (;;) yield chunk;
      } finally {
        isCleanedUp = true;
      }
    }
    const { summary, content } = await keep(endless());
    expect(summary).toMatch(
      /^1 line \| x{80}…\nincomplete: the tool was stopped after 75497472 bytes$/,
    );
    expect(content).toHaveLength(75_497_472);
    expect(isCleanedUp).toBe(true);
  });

  test("bytes that are no text are left out and named, or stored where there is a store", async () => {
    const bytes = Buffer.alloc(3000);
    expect(await keep(bytes)).toEqual({
      summary:
        "[left out: binary application/octet-stream | 3000 bytes: it is no text, and there is no store for it]",
    });
    const store = new FaultyStore();
    const { summary, blob } = await keep(bytes, { store });
    expect(summary).toMatch(/^\[blob:.*\] binary application\/octet-stream \| 3000 bytes$/);
    expect(store.blobs.get(blob?.id ?? "")).toMatchObject({ type: "binary" });
  });

  test("text in another encoding is shown as far as it can be", async () => {
    const bytes = Buffer.from("Gr\u00fc\u00dfe aus dem ganzen Haus\n", "latin1");
    expect(await keep(bytes)).toEqual({
      summary: "text | 1 line | 26 bytes | not valid UTF-8",
      content: "Gr\ufffd\ufffde aus dem ganzen Haus\n",
    });
  });

  test("images go beside the text", async () => {
    const image = {
      type: "image",
      source: { type: "base64", mediaType: "image/png", data: "iVBORw0KGgo=" },
    } as const;
    expect(await keep([{ type: "text", text: lines }, image])).toEqual({
      summary: "100 lines | one line of many…",
      content: lines,
      parts: [image],
    });
    expect(await keep(image)).toEqual({ summary: "image image/png | 8 bytes", parts: [image] });
  });
});
