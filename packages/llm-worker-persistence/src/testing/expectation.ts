import type { CompleteBlobStore } from "../blob-store.js";

/** An optional part of a store, named as its method. */
export type BlobStoreCapability = "stat" | "openReader" | "openWriter" | "delete" | "list";

/** One expectation, as the suite's files write it down. */
export interface StoreExpectation {
  readonly name: string;
  /** The capabilities that `run` uses. */
  readonly needs: readonly BlobStoreCapability[];
  readonly run: (store: CompleteBlobStore) => Promise<void>;
}
