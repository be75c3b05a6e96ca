import { describe, expect, test } from "vitest";
import { MemoryBlobStore } from "./memory-blob-store.js";
import { blobStoreConformance } from "./testing/index.js";

describe("the conformance suite", () => {
  const cases = blobStoreConformance({ createStore: () => new MemoryBlobStore() });
  test.each(cases)("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

test("two stores share nothing", async () => {
  const id = await new MemoryBlobStore().store({ type: "text", text: "mine" });
  expect(await new MemoryBlobStore().exists(id)).toBe(false);
});
