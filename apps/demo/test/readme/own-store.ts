import { test } from "node:test";
import { blobStoreConformance } from "llm-worker-persistence/testing";
import { MyStore } from "./my-store.js";

for (const { name, run } of blobStoreConformance({ createStore: () => new MyStore() })) {
  void test(name, run);
}
