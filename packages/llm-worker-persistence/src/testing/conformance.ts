import assert from "node:assert/strict";
import type { BlobStoreLike } from "llm-worker/blob";
import type { CompleteBlobStore } from "../blob-store.js";
import { byteCases } from "./byte-cases.js";
import { deleteAndListCases } from "./delete-and-list-cases.js";
import type { BlobStoreCapability, StoreExpectation } from "./expectation.js";
import { idCases } from "./id-cases.js";
import { readerCases } from "./reader-cases.js";
import { statCases } from "./stat-cases.js";
import { writerCases } from "./writer-cases.js";

/** One case of the suite: a sentence, and a check that rejects if it is not true of the store. */
export interface ConformanceCase {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** What the suite needs to know of the store. */
export interface BlobStoreConformanceOptions {
  /** Makes a new, empty store. Called once for each case. */
  readonly createStore: () => BlobStoreLike | Promise<BlobStoreLike>;
  /** Called after each case with its store, also after a failure. */
  readonly disposeStore?: ((store: BlobStoreLike) => void | Promise<void>) | undefined;
  /** The capabilities that the store has; default all. `[]`: only `store`, `load`, `exists`. */
  readonly capabilities?: readonly BlobStoreCapability[] | undefined;
}

const ALL_CAPABILITIES: readonly BlobStoreCapability[] = [
  "stat",
  "openReader",
  "openWriter",
  "delete",
  "list",
];

/**
 * What every store for llm-worker promises, as cases for any test runner. They use `node:assert`
 * and depend on no time and no order.
 *
 * @example
 * ```ts
 * import { test } from "node:test";
 * import { blobStoreConformance } from "llm-worker-persistence/testing";
 *
 * for (const { name, run } of blobStoreConformance({ createStore: () => new MyStore() })) {
 *   test(name, run);
 * }
 * ```
 */
export function blobStoreConformance(options: BlobStoreConformanceOptions): ConformanceCase[] {
  const capabilities = options.capabilities ?? ALL_CAPABILITIES;
  const expectations = [
    ...idCases,
    ...byteCases,
    ...statCases,
    ...readerCases,
    ...writerCases,
    ...deleteAndListCases,
  ];
  return expectations
    .filter(({ needs }) => needs.every((capability) => capabilities.includes(capability)))
    .map((expectation) => ({ name: expectation.name, run: () => runCase(expectation, options) }));
}

async function runCase(
  { needs, run }: StoreExpectation,
  { createStore, disposeStore }: BlobStoreConformanceOptions,
): Promise<void> {
  const store = await createStore();
  try {
    for (const capability of needs) {
      assert.equal(typeof store[capability], "function", `the store has no ${capability}()`);
    }
    // Holds as far as the case goes: it uses no more than what it needs, which was just checked.
    await run(store as CompleteBlobStore);
  } finally {
    await disposeStore?.(store);
  }
}
