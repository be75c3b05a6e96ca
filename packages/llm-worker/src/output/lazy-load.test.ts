import { describe, expect, test } from "vitest";
import { FaultyStore } from "../../test/support/faulty-store.js";
import type { MediaPart } from "../model/item.js";
import { lazyLoad } from "./lazy-load.js";
import { MAX_NATIVE_MEDIA_CHARS } from "./media-result.js";
import { leanLimits, type OutputLimits } from "./output-limits.js";
import type { OutputEvent, PolicyContext, ToolResultFields } from "./policy.js";
import { OutputStoreError } from "./store-failure.js";
import { ToolOutput } from "./tool-output.js";

interface Bench {
  readonly store: FaultyStore;
  readonly events: OutputEvent[];
  readonly keep: (value: unknown, overrides?: Partial<PolicyContext>) => Promise<ToolResultFields>;
}

function bench(limits: Partial<OutputLimits> = {}): Bench {
  const store = new FaultyStore();
  const events: OutputEvent[] = [];
  const policy = lazyLoad();
  return {
    store,
    events,
    keep: (value, overrides) =>
      policy.apply(value, {
        callId: "call_1",
        toolName: "read",
        isError: false,
        limits: { ...leanLimits, ...limits },
        store,
        report: (event) => events.push(event),
        ...overrides,
      }),
  };
}

const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${String(index + 1)}\n`).join("");

/** Sees rejections that nobody handles while `run` is on its way. */
async function unhandledDuring(run: () => Promise<void>): Promise<unknown[]> {
  const seen: unknown[] = [];
  const note = (reason: unknown): void => void seen.push(reason);
  process.on("unhandledRejection", note);
  await run();
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", note);
  return seen;
}

describe("lazyLoad", () => {
  test("a small output stays as it is and is not stored", async () => {
    const { store, events, keep } = bench();
    expect(await keep("a".repeat(800))).toEqual({ summary: "a".repeat(800) });
    expect(store.calls).toEqual([]);
    expect(events).toEqual([]);
  });

  test("a large output goes to the store, and its summary with the id into the history", async () => {
    const { store, events, keep } = bench();
    const text = lines(1000);
    const fields = await keep(text);
    const [id = ""] = store.blobs.keys();
    expect(store.blobs.get(id)).toEqual({ type: "text", text });
    expect(fields.summary).toMatch(/^\[blob:0190a000-[-0-9]+\] text \| 1000 lines \| 8893 bytes\n/);
    expect(fields).toEqual({
      summary: fields.summary,
      blob: { id, kind: "text", byteCount: 8893, count: 1000 },
    });
    const summaryBytes = Buffer.byteLength(fields.summary);
    expect(events).toEqual([
      {
        type: "output_stored",
        callId: "call_1",
        toolName: "read",
        blobId: id,
        byteCount: 8893,
        summaryBytes,
      },
    ]);
    expect(JSON.parse(JSON.stringify(fields))).toStrictEqual(fields);
  });

  test("with an id of any length the summary stays within the limit and the id whole", async () => {
    const { store, keep } = bench();
    for (const length of [1, 36, 37, 128]) {
      store.nextId = () => "i".repeat(length);
      const { summary } = await keep("x".repeat(5000));
      expect(summary.startsWith(`[blob:${"i".repeat(length)}] text | 1 line | 5000 bytes\n`)).toBe(
        true,
      );
      expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(400);
    }
  });

  test("an output is not stored where the summary would save less than half", async () => {
    const { store, keep } = bench({ inlineMaxBytes: 100 });
    expect(await keep(lines(30))).toEqual({ summary: lines(30) });
    expect(store.calls).toEqual([]);
    expect((await keep(lines(200))).blob).toBeDefined();
  });

  test("F9: an error goes through the same door and stays an error", async () => {
    const { store, keep } = bench();
    const message = `ETIMEDOUT upstream\n${"x".repeat(299_900)}\ncaused by: quota exceeded`;
    const fields = await keep(new Error(message), { isError: true });
    expect(fields.isError).toBe(true);
    expect(Buffer.byteLength(fields.summary)).toBeLessThanOrEqual(400);
    expect(fields.summary).toContain("── head ──\nETIMEDOUT upstream\n");
    expect(fields.summary).toMatch(/\ncaused by: quota exceeded$/);
    expect(store.blobs.get(fields.blob?.id ?? "")).toEqual({ type: "text", text: message });
    const small = "e".repeat(200);
    expect(await keep(small, { isError: true })).toEqual({ summary: small, isError: true });
  });

  test("F17: call ids are not names: each result is its own blob", async () => {
    const { store, keep } = bench();
    const ids = ["", "call_0", "call_0", "c".repeat(1500), "a/../../b", "CON", "é\u0000x"];
    for (const [index, callId] of ids.entries()) {
      const text = `${String(index)}:${"x".repeat(5000)}`;
      const { blob } = await keep(text, { callId });
      expect(store.blobs.get(blob?.id ?? "")).toEqual({ type: "text", text });
    }
    expect(store.blobs.size).toBe(ids.length);
  });

  test("F18: of many results at once, one failure concerns one", async () => {
    const { store, keep } = bench();
    const texts = Array.from({ length: 50 }, (_, index) => `${String(index)} `.repeat(20_000));
    const put = store.store.bind(store);
    store.store = (content) =>
      content.type === "text" && content.text.startsWith("7 ")
        ? Promise.reject(new Error("this one not"))
        : put(content);
    const results = await Promise.all(texts.map((text) => keep(text)));
    const readBack = results.map(({ blob }) => store.blobs.get(blob?.id ?? ""));
    expect(readBack.findIndex((content) => content === undefined)).toBe(7);
    expect(
      readBack.filter(
        (content, index) => content?.type === "text" && content.text === texts[index],
      ),
    ).toHaveLength(49);
    expect(results[7]?.summary).toMatch(/^\[incomplete: .* of 40000 bytes are shown/);
  });

  test("without a store nothing is lost", async () => {
    const { keep } = bench();
    const text = lines(1000);
    const fields = await keep(text, { store: undefined });
    expect(fields).toEqual({ summary: "1000 lines | line 1…", content: text });
  });
});

describe("what a tool decides itself", () => {
  test("explicit inline text stays, whatever its size", async () => {
    const { keep } = bench();
    const text = "x".repeat(5000);
    expect(await keep(ToolOutput.inline(text))).toEqual({ summary: text });
  });

  test("explicit content is stored, with the tool's summary below the id line", async () => {
    const { store, keep } = bench();
    const fields = await keep(ToolOutput.stored("three rows", { type: "text", text: "a\nb\nc" }));
    const [id = ""] = store.blobs.keys();
    expect(fields.summary).toBe(`[blob:${id}] text | 3 lines | 5 bytes\nthree rows`);
  });

  test("what ToolOutput.from has made gets its id and no second summary", async () => {
    const { keep } = bench();
    const [plain, made] = [await keep(lines(500)), await keep(ToolOutput.from(lines(500)))];
    expect(made.summary.replace("000000000002", "000000000001")).toBe(plain.summary);
  });

  test("a summary with content: small ones inline, else the content is stored", async () => {
    const { store, keep } = bench();
    expect(await keep({ summary: "two rows", content: [1, 2] })).toEqual({
      summary: "two rows",
      content: "[1,2]",
    });
    expect(await keep({ summary: "just words" })).toEqual({ summary: "just words" });
    const large = await keep({ summary: "many words ".repeat(100), content: lines(500) });
    expect(large.summary).toMatch(
      /^\[blob:[-0-9a-f]+\] text \| 500 lines \| \d+ bytes\nmany words .*…$/,
    );
    expect(Buffer.byteLength(large.summary)).toBeLessThanOrEqual(400);
    expect([...store.blobs.values()]).toEqual([{ type: "text", text: lines(500) }]);
  });

  test("JSON that has a summary among other keys is JSON", async () => {
    const { keep } = bench();
    expect(await keep({ summary: "s", rows: 1 })).toEqual({ summary: '{"summary":"s","rows":1}' });
  });
});

describe("F10: images are not text", () => {
  const png = (byteCount: number): MediaPart => {
    const bytes = Buffer.alloc(byteCount, 0x42);
    bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    return {
      type: "image",
      source: { type: "base64", mediaType: "image/png", data: bytes.toString("base64") },
    };
  };

  test("an image goes beside its text, uncounted and unstored", async () => {
    const { store, keep } = bench();
    const image = png(150_000);
    expect(await keep([{ type: "text", text: "a chart" }, image])).toEqual({
      summary: "a chart",
      parts: [image],
    });
    expect(await keep(image)).toEqual({
      summary: "image image/png | 150000 bytes",
      parts: [image],
    });
    expect(store.calls).toEqual([]);
  });

  test("the text beside an image goes through the usual door", async () => {
    const { store, keep } = bench();
    const fields = await keep([png(1000), { type: "text", text: lines(500) }]);
    expect(fields.summary).toMatch(/^\[blob:/);
    expect(fields.parts).toHaveLength(1);
    expect(store.blobs.get(fields.blob?.id ?? "")).toEqual({ type: "text", text: lines(500) });
  });

  test("an image too large to be sent becomes a blob with its type and size", async () => {
    const { store, keep } = bench();
    const byteCount = MAX_NATIVE_MEDIA_CHARS;
    const fields = await keep([{ type: "text", text: "a poster" }, png(byteCount)]);
    const [id = ""] = store.blobs.keys();
    expect(fields).toEqual({
      summary: `a poster\n[blob:${id}] binary image/png | ${String(byteCount)} bytes`,
      blob: { id, kind: "binary", byteCount },
    });
    expect(store.blobs.get(id)).toMatchObject({ type: "binary", mediaType: "image/png" });
    expect((await keep(png(byteCount), { store: undefined })).summary).toContain(
      `[left out: binary image/png | ${String(byteCount)} bytes`,
    );
  });

  test("the bytes of an image are a binary blob", async () => {
    const { keep } = bench();
    const { source } = png(150_000);
    const bytes = Buffer.from("data" in source ? source.data : "", "base64");
    expect((await keep(bytes)).summary).toMatch(/^\[blob:.*\] binary image\/png \| 150000 bytes$/);
  });

  test("an array without media is JSON, and a part of unknown shape is no media", async () => {
    const { keep } = bench();
    expect((await keep([{ type: "text", text: "a" }])).summary).toBe(
      '[{"type":"text","text":"a"}]',
    );
    expect((await keep({ type: "image", url: "x" })).summary).toBe('{"type":"image","url":"x"}');
  });
});

describe("F16: a failing store does not lose the result", () => {
  const text = lines(6000);
  const byteCount = Buffer.byteLength(text);

  test.each([
    [{ code: "ENOSPC" }, "unavailable", "unavailable, ENOSPC"],
    [{ code: "EACCES" }, "unavailable", "unavailable, EACCES"],
    [{ code: "no_space" }, "no_space", "no_space"],
    ["throw", "forbidden", "forbidden"],
    ["hang", "timeout", "timeout"],
    ["no id", "unavailable", "unavailable"],
  ] as const)("when it fails with %o", async (fault, code, reason) => {
    const { store, events, keep } = bench({ storeTimeoutMs: 5 });
    store.faults = { store: fault };
    const unhandled = await unhandledDuring(async () => {
      const fields = await keep(text);
      expect(Object.keys(fields)).toEqual(["summary"]);
      const { summary } = fields;
      const [, kept = ""] =
        /^\[incomplete: this output could not be stored \((.*)\)\. \d+ of \d+ bytes are shown/.exec(
          summary,
        ) ?? [];
      expect(kept).toBe(reason);
      const [line = "", ...shown] = summary.split("\n");
      expect(line).toContain(` of ${String(byteCount)} bytes are shown: the first and the last]`);
      expect(shown[0]).toBe("line 1");
      expect(summary.endsWith("\nline 6000\n")).toBe(true);
      expect(summary).toContain("…\n…");
      expect(summary).not.toContain("[blob:");
      expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(leanLimits.fallbackMaxBytes);
      expect(Buffer.byteLength(summary)).toBeGreaterThan(leanLimits.fallbackMaxBytes - 64);
      const keptBytes = Number(/(\d+) of/.exec(line)?.[1]);
      const [head = "", tail = ""] = summary.slice(line.length + 1).split("…\n…");
      expect(Buffer.byteLength(head) + Buffer.byteLength(tail)).toBe(keptBytes);
      expect(events).toEqual([
        expect.objectContaining({ type: "output_store_failed", code, byteCount, keptBytes }),
      ]);
      store.release();
    });
    expect(unhandled).toEqual([]);
  });

  test.each(["", "x".repeat(129), "a\nb", " padded"])(
    "when it gives an id by which nothing could be read back: %j",
    async (id) => {
      const { store, keep } = bench();
      store.nextId = () => id;
      const { summary, blob } = await keep(text);
      expect(blob).toBeUndefined();
      expect(summary).toMatch(/^\[incomplete: this output could not be stored \(unavailable\)/);
      store.nextId = () => "x".repeat(128);
      expect((await keep(text)).blob?.id).toHaveLength(128);
    },
  );

  test("what fits the fallback is whole and says nothing of incompleteness", async () => {
    const { store, events, keep } = bench();
    store.faults = { store: { code: "forbidden" } };
    expect(await keep(lines(500))).toEqual({ summary: lines(500) });
    expect(events).toMatchObject([{ keptBytes: Buffer.byteLength(lines(500)) }]);
  });

  test("of binary content nothing is shown, but what it was", async () => {
    const { store, keep } = bench();
    store.faults = { store: { code: "forbidden" } };
    expect((await keep(Buffer.alloc(5000))).summary).toBe(
      "[incomplete: this output (binary application/octet-stream | 5000 bytes) could not be stored " +
        "(forbidden). 0 of 5000 bytes are shown]",
    );
  });

  test("an error stays an error, a summary of the tool stays readable", async () => {
    const { store, keep } = bench();
    store.faults = { store: { code: "forbidden" } };
    expect((await keep(text, { isError: true })).isError).toBe(true);
    const { summary } = await keep({ summary: "my words", content: text });
    expect(summary).toMatch(/^\[incomplete: .*\]\nmy words\nline 1\n/);
  });

  test("a blob that is stored too late is deleted again", async () => {
    const { store, keep } = bench({ storeTimeoutMs: 5 });
    store.faults = { store: "hang" };
    await keep(text);
    store.release();
    await new Promise((resolve) => setImmediate(resolve));
    expect(store.calls).toEqual(["store", "delete"]);
    expect(store.blobs.size).toBe(0);
  });

  test("with onStoreFailure throw the policy rejects, after the event", async () => {
    const { store, events } = bench();
    store.faults = { store: { code: "no_space" } };
    const applied = lazyLoad({ onStoreFailure: "throw" }).apply(text, {
      callId: "c",
      toolName: "t",
      isError: false,
      limits: leanLimits,
      store,
      report: (event) => events.push(event),
    });
    const error: unknown = await applied.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OutputStoreError);
    expect(error).toMatchObject({ code: "output_store_failed", storeCode: "no_space" });
    expect(events).toMatchObject([{ type: "output_store_failed", keptBytes: 0 }]);
  });
});
