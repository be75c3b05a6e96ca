import type { BlobStoreLike } from "llm-worker/blob";
import { describe, expect, test } from "vitest";
import { MemoryBlobStore } from "../memory-blob-store.js";
import { type BlobStoreConformanceOptions, blobStoreConformance } from "./index.js";

/** The names of the cases that a store does not pass. */
async function failedCases(options: BlobStoreConformanceOptions): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of blobStoreConformance(options)) {
    await run().catch(() => failed.push(name));
  }
  return failed;
}

/** A store of three methods, some of them wrong. */
function storeWith(faults: Partial<BlobStoreLike>): BlobStoreLike {
  const memory = new MemoryBlobStore();
  return {
    store: (content) => memory.store(content),
    load: (id) => memory.load(id),
    exists: (id) => memory.exists(id),
    ...faults,
  };
}

test("a store of three methods passes the cases for three methods, and is disposed of after each", async () => {
  let open = 0;
  const failed = await failedCases({
    createStore: () => {
      open += 1;
      return storeWith({});
    },
    disposeStore: () => {
      open -= 1;
    },
    capabilities: [],
  });
  expect(failed).toEqual([]);
  expect(open).toBe(0);
});

test("a capability that is said to be there and is not fails its cases, not others", async () => {
  const failed = await failedCases({
    createStore: () => storeWith({}),
    capabilities: ["stat"],
  });
  expect(failed.length).toBeGreaterThan(3);
  expect(failed.every((name) => name.startsWith("stat()"))).toBe(true);
});

test("each case has a name of its own", () => {
  const names = blobStoreConformance({ createStore: () => storeWith({}) }).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

describe("a faulty store is found out", () => {
  const memory = new MemoryBlobStore();
  const faults: Record<string, Partial<BlobStoreLike>> = {
    "has every blob": { exists: () => Promise.resolve(true) },
    "gives something for any id": { load: async () => ({ type: "text", text: "" }) },
    "throws an error without code": { load: () => Promise.reject(new Error("no such blob")) },
    "names blobs as it likes": { store: async () => "blob-1" },
    "trims text": {
      store: (content) =>
        memory.store(
          content.type === "text" ? { type: "text", text: content.text.trim() } : content,
        ),
      load: (id) => memory.load(id),
    },
    "writes JSON anew": {
      store: (content) =>
        memory.store(
          content.type === "structured"
            ? { ...content, raw: JSON.stringify(JSON.parse(content.raw)) }
            : content,
        ),
      load: (id) => memory.load(id),
    },
  };
  test.each(Object.entries(faults))("one that %s", async (_, fault) => {
    const failed = await failedCases({ createStore: () => storeWith(fault), capabilities: [] });
    expect(failed).not.toEqual([]);
  });
});
