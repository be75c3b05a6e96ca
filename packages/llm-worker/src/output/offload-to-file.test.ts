import { describe, expect, test } from "vitest";
import { FaultyFileBackend } from "../../test/support/faulty-file-backend.js";
import type { FileRef, MediaPart } from "../model/item.js";
import { MAX_NATIVE_MEDIA_CHARS } from "./media-result.js";
import { offloadToFile, type OffloadToFileOptions } from "./offload-to-file.js";
import { leanLimits, type OutputLimits } from "./output-limits.js";
import type { OutputEvent, PolicyContext, ToolResultFields } from "./policy.js";
import { OutputStoreError } from "./store-failure.js";
import { ToolOutput } from "./tool-output.js";

interface Bench {
  readonly backend: FaultyFileBackend;
  readonly events: OutputEvent[];
  readonly keep: (value: unknown, overrides?: Partial<PolicyContext>) => Promise<ToolResultFields>;
  readonly textIn: (file: FileRef | undefined) => Promise<string>;
}

function bench(
  options: Partial<OffloadToFileOptions> = {},
  limits: Partial<OutputLimits> = {},
): Bench {
  const backend = new FaultyFileBackend();
  const events: OutputEvent[] = [];
  const policy = offloadToFile({ backend, ...options });
  return {
    backend,
    events,
    keep: (value, overrides) =>
      policy.apply(value, {
        callId: "call_1",
        toolName: "search",
        isError: false,
        limits: { ...leanLimits, ...limits },
        report: (event) => events.push(event),
        ...overrides,
      }),
    textIn: async (file) =>
      Buffer.from(await backend.read(file?.path ?? "", 0, Infinity)).toString(),
  };
}

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, i) => `line ${String(i + 1)}\n`).join("");

describe("what stays in the history", () => {
  test("a text of up to four characters for each token of the limit, 20 000 by default", async () => {
    const { backend, keep } = bench();
    const text = "漢".repeat(80_000);
    expect(await keep(text)).toEqual({ summary: text });
    expect(backend.paths).toEqual([]);
    expect((await keep(`${text}a`)).files).toHaveLength(1);
  });

  test("a text of up to the limit by a counter of your own", async () => {
    const words = (text: string): number => text.split(" ").length;
    const { backend, keep } = bench({ tokenLimit: 3, tokenCounter: words });
    const long = "x".repeat(100_000);
    expect(await keep(`a b ${long}`)).toEqual({ summary: `a b ${long}` });
    expect((await keep("a b c d")).files).toHaveLength(1);
    const slow = bench({ tokenLimit: 3, tokenCounter: async (text) => words(text) });
    expect((await slow.keep("a b c d")).files).toHaveLength(1);
    expect(backend.paths).toHaveLength(1);
  });

  test("JSON as its text, what the tool wants inline, and a summary with its content", async () => {
    const { keep } = bench({ tokenLimit: 5 });
    expect(await keep({ a: 1 })).toEqual({ summary: '{"a":1}' });
    expect(await keep(undefined)).toEqual({ summary: "" });
    const long = "x".repeat(1000);
    expect(await keep(ToolOutput.inline(long))).toEqual({ summary: long });
    expect(await keep({ summary: "two", content: [1, 2] })).toEqual({
      summary: "two",
      content: "[1,2]",
    });
  });
});

describe("what goes to a file", () => {
  test("is there whole, and the history has a notice with the first ten lines", async () => {
    const { events, keep, textIn } = bench({ tokenLimit: 100 });
    const text = `${"é".repeat(2000)}\n${numbered(500)}`;
    const fields = await keep(text);
    const file = { path: "/large_tool_result/call_1", byteCount: 8393, lineCount: 501 };
    expect(fields).toEqual({ summary: fields.summary, files: [file] });
    expect(await textIn(file)).toBe(text);
    expect(fields.summary).toBe(
      [
        'The result of call "call_1" is not shown here: text | 501 lines | 8393 bytes',
        'It is saved in the file "/large_tool_result/call_1"; read it with read_file, with offset (its first line, from 1) and limit (lines).',
        "── first 10 lines ──",
        `1: ${"é".repeat(999)}…`,
        ...Array.from({ length: 9 }, (_, i) => `${i + 2}: line ${i + 1}`),
      ].join("\n"),
    );
    expect(events).toEqual([
      {
        type: "output_offloaded",
        callId: "call_1",
        toolName: "search",
        path: file.path,
        byteCount: 8393,
        summaryBytes: Buffer.byteLength(fields.summary),
      },
    ]);
    expect(JSON.parse(JSON.stringify(fields))).toStrictEqual(fields);
  });

  test("F2, F3: one huge line of JSON says what it is", async () => {
    const { keep } = bench();
    const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, n: "x" }));
    const { summary } = await keep(JSON.stringify(rows));
    expect(summary).toMatch(/: json_array \| 20000 entries \| 408891 bytes \| 1 line\n/);
    expect(summary).toMatch(/\n── first 1 line ──\n1: \[\{"id":0,.*…$/);
    expect(Buffer.byteLength(summary)).toBeLessThan(1500);
  });

  test("F9: an error goes through the same door and stays an error", async () => {
    const { keep, textIn } = bench();
    const message = `ETIMEDOUT upstream\n${"x".repeat(299_900)}\ncaused by: quota exceeded`;
    const fields = await keep(new Error(message), { isError: true });
    expect(fields.isError).toBe(true);
    expect(fields.summary).toContain("\n1: ETIMEDOUT upstream\n");
    expect(await textIn(fields.files?.[0])).toBe(message);
    expect(await keep("short", { isError: true })).toEqual({ summary: "short", isError: true });
  });

  test("F5, F6: half a character becomes U+FFFD, and nothing in a text is a template", async () => {
    const { keep, textIn } = bench({ tokenLimit: 1 });
    const hostile = "$& $' $$5 %s {0} {content} \\1 ${x}\n".repeat(20);
    const { summary, files } = await keep(`ab\ud83d cd\n${hostile}`);
    expect(summary).toContain("\n1: ab\ufffd cd\n2: $& $' $$5 %s {0} {content} \\1 ${x}\n");
    expect(await textIn(files?.[0])).toBe(`ab\ufffd cd\n${hostile}`);
  });

  test("bytes that are no text go there whatever their size, and their notice has no lines", async () => {
    const { backend, keep } = bench();
    const bytes = Buffer.from("89504e470d0a1a0a0001fffe", "hex");
    const { summary, files } = await keep(bytes);
    expect(summary).toMatch(/: binary image\/png \| 12 bytes\n.* read_file, which shows it in hex/);
    expect(summary.split("\n")).toHaveLength(2);
    const stored = await backend.read(files?.[0]?.path ?? "", 0, 99);
    expect(Buffer.from(stored)).toEqual(bytes);
    expect(await keep(Buffer.from("some text"))).toEqual({ summary: "some text" });
  });

  test("what the tool wants stored, with its own summary in place of the first lines", async () => {
    const { keep, textIn } = bench();
    const explicit = await keep(ToolOutput.stored("two of them", { type: "text", text: "a\nb\n" }));
    expect(explicit.summary).toMatch(/\| 2 lines \| 4 bytes\n.*\ntwo of them$/);
    expect(await textIn(explicit.files?.[0])).toBe("a\nb\n");
    const content = { type: "text", text: "x".repeat(90_000) } as const;
    expect((await keep({ summary: "many", content })).summary).toMatch(/\nmany$/);
    expect((await keep(ToolOutput.from(content.text))).summary).toContain("── first 1 line ──");
  });

  test("images go to the model as they are, those that are too large to a file", async () => {
    const { backend, keep } = bench({ tokenLimit: 10 });
    const image = (data: string): MediaPart => ({
      type: "image",
      source: { type: "base64", mediaType: "image/png", data },
    });
    const small = image("iVBORw0KGgo=");
    const text = { type: "text", text: "what you see ".repeat(10) };
    const huge = image("AAAA".repeat(MAX_NATIVE_MEDIA_CHARS / 4 + 1));
    const fields = await keep([text, small, huge]);
    expect(fields.parts).toEqual([small]);
    expect(fields.files?.map(({ byteCount }) => byteCount)).toEqual([130, 3_932_163]);
    expect(backend.paths).toHaveLength(2);
    expect(fields.summary).not.toContain("AAAA");
    expect(await keep([small])).toEqual({ summary: "image image/png | 8 bytes", parts: [small] });
  });
});

describe("F17: paths", () => {
  test("call ids from outside make safe names, and each result is its own file", async () => {
    const { backend, keep, textIn } = bench({ tokenLimit: 10 });
    const ids = ["", "call_0", "call_0", "c".repeat(1500), "a/../../b", "CON", "é\u0000x", ".."];
    ids.push("a\\b", "a:b", "a/../../b");
    for (const [index, callId] of ids.entries()) {
      const text = `${String(index)}:${"x".repeat(5000)}`;
      const { files, summary } = await keep(text, { callId });
      expect(await textIn(files?.[0])).toBe(text);
      expect(summary).toContain(JSON.stringify(files?.[0]?.path));
      expect(summary.length).toBeLessThan(1600);
    }
    expect(new Set(backend.paths).size).toBe(ids.length);
    for (const path of backend.paths) {
      expect(path).toMatch(/^\/large_tool_result\/[A-Za-z0-9_-]{1,70}$/);
    }
    expect(backend.paths).toContain("/large_tool_result/call_0");
    expect(backend.paths).not.toContain("/large_tool_result/CON");
  });

  test("may be made by a function of your own, which gets the call id and a safe name for it", async () => {
    const { backend, keep } = bench({
      tokenLimit: 1,
      pathGenerator: ({ toolName, callId, fileName }) =>
        `/runs/7/${toolName}-${String(callId.length)}-${fileName}.txt`,
    });
    await keep("a long text", { callId: "../x" });
    expect(backend.paths).toEqual([expect.stringMatching(/^\/runs\/7\/search-4-_x-\w{12}\.txt$/)]);
  });

  test("that cannot be made are no reason to lose the output", async () => {
    const { events, keep } = bench({
      tokenLimit: 1,
      pathGenerator: () => {
        throw new Error("no path today");
      },
    });
    expect((await keep("a long text")).summary).toBe("a long text");
    expect(events).toMatchObject([
      { type: "output_store_failed", code: "unavailable", message: "no path today" },
    ]);
  });
});

describe("F16: a failing backend does not lose the result", () => {
  test.each([
    ["no_space", { code: "no_space" }, 0],
    ["forbidden", "throw", 0],
    ["timeout", "hang", 0],
    ["unavailable", { code: "?" }, 2],
  ] as const)("%s", async (code, fault, afterChunks) => {
    const { backend, events, keep } = bench({ tokenLimit: 100 }, { storeTimeoutMs: 10 });
    Object.assign(backend, { fault, afterChunks });
    const { summary, files } = await keep(numbered(50_000));
    expect(files).toBeUndefined();
    expect(summary).toMatch(
      new RegExp(
        `^\\[incomplete: this output could not be stored \\(${code}\\)\\. \\d+ of 538894 bytes are shown: the first and the last\\]\nline 1\n`,
      ),
    );
    expect(summary).toMatch(/\nline 50000\n$/);
    expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(leanLimits.fallbackMaxBytes);
    expect(events).toMatchObject([{ type: "output_store_failed", code, byteCount: 538_894 }]);
    expect(backend.paths).toEqual([]);
    backend.release();
  });

  test("unless it is to be an error of the run", async () => {
    const { backend, events, keep } = bench({ tokenLimit: 1, onStoreFailure: "throw" });
    backend.fault = { code: "no_space" };
    await expect(keep("a long text")).rejects.toThrow(OutputStoreError);
    expect(events).toMatchObject([{ type: "output_store_failed", keptBytes: 0 }]);
  });
});

test("F18: of many results at once, one failure concerns one", async () => {
  const { backend, keep, textIn } = bench();
  const write = backend.write.bind(backend);
  backend.write = (path, chunks) =>
    path.endsWith("/c7") ? Promise.reject(new Error("this one not")) : write(path, chunks);
  const texts = Array.from({ length: 50 }, (_, i) => `${String(i)} `.repeat(50_000));
  const results = await Promise.all(texts.map((text, i) => keep(text, { callId: `c${i}` })));
  expect(results.findIndex(({ files }) => files === undefined)).toBe(7);
  const stored = results.map(({ files }) => files?.[0]).filter((file) => file !== undefined);
  const readBack = await Promise.all(stored.map(textIn));
  expect(new Set(readBack)).toEqual(new Set(texts.filter((_, i) => i !== 7)));
});

test.each([
  [{ tokenLimit: -1 }, "tokenLimit is -1"],
  [{ tokenLimit: 1.5 }, "tokenLimit is 1.5"],
  [{ maxAnswerBytes: 100 }, "maxAnswerBytes is 100"],
  [{ readFileToolName: "read file" }, "rename it"],
])("what cannot be kept is an error at once: %j", (options, message) => {
  expect(() => bench(options)).toThrow(message);
});
