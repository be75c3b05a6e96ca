import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readBlob } from "llm-worker";
import { describe, expect, test } from "vitest";
import type { CompleteBlobStore } from "../src/blob-store.js";
import { FsBlobStore } from "../src/fs-blob-store.js";
import { MemoryBlobStore } from "../src/memory-blob-store.js";
import { cached } from "../src/wrapper/cached.js";
import { compressed } from "../src/wrapper/compressed.js";
import { deduplicated } from "../src/wrapper/deduplicated.js";
import { writeStream } from "./support/blob-pieces.js";
import { tempDirectory } from "./temp-directory.js";

const sharedRoot =
  process.env["LLM_WORKER_SHARED"] ?? fileURLToPath(new URL("../../../../shared", import.meta.url));
const outputs = join(sharedRoot, "corpus", "outputs");
const hasOutputs = existsSync(outputs);
const skipped = hasOutputs ? "" : " (skipped: no shared data)";

const MIB = 1024 * 1024;

const WRAPPERS: Record<string, () => CompleteBlobStore> = {
  compressed: () => compressed(new MemoryBlobStore(), { minBytes: 0 }),
  deduplicated: () => deduplicated(new MemoryBlobStore(), { minBytes: 0 }),
  cached: () => cached(new MemoryBlobStore(), { maxBytes: MIB }),
};

function recordedOutputs(): readonly Buffer[] {
  return readdirSync(outputs, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
}

async function walk(store: CompleteBlobStore, id: string): Promise<Buffer> {
  const payloads: Uint8Array[] = [];
  for (let selector: string | undefined = ""; selector !== undefined;) {
    const answer = await readBlob(store, id, selector, { maxAnswerBytes: MIB });
    expect(answer.isError).toBe(false);
    payloads.push(answer.payload);
    selector = answer.next;
  }
  return Buffer.concat(payloads);
}

/** How many of the outputs come back as they are. */
async function walkedCount(store: CompleteBlobStore, files: readonly Buffer[]): Promise<number> {
  let count = 0;
  for (const bytes of files) {
    const id = await writeStream(store, bytes, 50_000);
    if (bytes.equals(await walk(store, id))) count++;
  }
  return count;
}

describe.skipIf(!hasOutputs)(`recorded outputs are walked byte for byte${skipped}`, () => {
  test("all, through all three wrappers over files", async () => {
    const files = recordedOutputs();
    expect(files.length).toBeGreaterThan(100);
    const onDisk = new FsBlobStore(await tempDirectory(), { durability: "none" });
    const inner = compressed(deduplicated(onDisk, { minBytes: 0 }), { minBytes: 0 });
    const store = cached(inner, { maxBytes: MIB });
    expect(await walkedCount(store, files)).toBe(files.length);
  });

  test.each(Object.entries(WRAPPERS))("a part of them, %s", async (_name, createStore) => {
    const files = recordedOutputs().filter((_, position) => position % 4 === 0);
    expect(await walkedCount(createStore(), files)).toBe(files.length);
  });
});
