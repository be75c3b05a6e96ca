import { lazyLoad, leanLimits, ToolOutput } from "llm-worker";
import {
  encodeBlobIndex,
  knownDescription,
  structuredContent,
  type TextContent,
} from "llm-worker/blob";
import { expect, test } from "vitest";
import type { CompleteBlobStore } from "../src/blob-store.js";
import { FsBlobStore } from "../src/fs-blob-store.js";
import { MemoryBlobStore } from "../src/memory-blob-store.js";
import { compressed } from "../src/wrapper/compressed.js";
import { deduplicated } from "../src/wrapper/deduplicated.js";
import { tempDirectory } from "./temp-directory.js";

const stores: Readonly<Record<string, () => Promise<CompleteBlobStore>>> = {
  memory: async () => new MemoryBlobStore(),
  files: async () => new FsBlobStore(await tempDirectory(), { durability: "none" }),
  compressed: async () => compressed(new MemoryBlobStore()),
  deduplicated: async () => deduplicated(new MemoryBlobStore()),
};

const records = Array.from({ length: 8000 }, (_, id) => ({ id, name: `é漢😀 ${id}`, tags: [id] }));

test.each(Object.entries(stores))(
  "%s: content that was summarized is stored like any other",
  async (_, openStore) => {
    for (const value of [records, Object.fromEntries(records.map((one) => [one.name, one])), [1]]) {
      const raw = JSON.stringify(value);
      const output = ToolOutput.from(raw, { inlineMaxBytes: 0 });
      if (output.kind !== "stored") throw new TypeError("it is over the threshold");
      const found = await Promise.all(
        [output.content, structuredContent(raw)].map(async (content) => {
          const store = await openStore();
          const id = await store.store(content);
          const reader = await store.openReader(id);
          const { stat, index } = reader;
          await reader.close();
          // As it is written: an index is looked into, and not to be compared.
          const written = encodeBlobIndex({ stat, index });
          return { stat, written, loaded: await store.load(id) };
        }),
      );
      expect(found[0]?.stat.kind).toMatch(/^json_/);
      expect(found[0]?.loaded).toMatchObject({ type: "structured", raw });
      expect(found[0]).toEqual(found[1]);
    }
  },
);

const texts: Readonly<Record<string, string>> = {
  lines: "a line\r\nand another\n".repeat(20_000),
  "wide lines without an end": `${"漢字😀\n".repeat(70_000)}é`,
  "NDJSON with blank lines": '{"a":1}\n\n[2]\n'.repeat(30_000),
  "an array that is not closed": `[${"1,\n".repeat(100_000)}`,
};

test.each(Object.entries(stores))(
  "%s: a text is summarized as one that was not stored",
  async (_, openStore) => {
    for (const text of Object.values(texts)) {
      const { summary, blob } = await lazyLoad().apply(text, {
        callId: "call_1",
        toolName: "read",
        isError: false,
        limits: leanLimits,
        store: await openStore(),
        report: () => undefined,
      });
      const output = ToolOutput.from(text);
      if (output.kind !== "stored") throw new TypeError("it is over the threshold");
      expect(summary).toBe(`[blob:${blob?.id ?? ""}] ${output.summary}`);
    }
  },
);

test("what a store of files has found out of a large text is known", async () => {
  const store = new FsBlobStore(await tempDirectory(), { durability: "none" });
  for (const text of Object.values(texts)) {
    const content: TextContent = { type: "text", text };
    const id = await store.store(content);
    expect(knownDescription(content)?.stat).toEqual(await store.stat(id));
  }
});
