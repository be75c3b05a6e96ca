import { stat } from "node:fs/promises";
import type { CompleteBlobStore } from "../blob-store.js";
import { FsBlobStore } from "../fs-blob-store.js";
import { assertKnownPlace, isS3Place, s3OptionsOf } from "./s3-place.js";
import { CommandError } from "./usage.js";

export interface StorePlace {
  readonly store: string;
  readonly endpoint: string | undefined;
}

/**
 * The store of `--store`.
 *
 * @param use `write` makes a directory that is not there
 * @throws UsageError for a place that cannot be understood, CommandError for one that is not there
 */
export async function openStore(
  { store, endpoint }: StorePlace,
  use: "read" | "write",
): Promise<CompleteBlobStore> {
  assertKnownPlace("--store", store);
  if (isS3Place(store)) {
    const options = s3OptionsOf("--store", store, endpoint);
    // Loaded only here: who keeps files needs no SDK.
    const { S3BlobStore } = await import("../s3/index.js");
    return new S3BlobStore(options);
  }
  if (use === "read") await assertDirectory(store, "the store");
  return new FsBlobStore(store);
}

/** @throws CommandError if there is no such directory: most likely it is a slip of the pen */
export async function assertDirectory(path: string, what: string): Promise<void> {
  const stats = await stat(path).catch((error: unknown) => {
    throw new CommandError(`${what} cannot be opened: there is no directory ${path}`, {
      cause: error,
    });
  });
  if (!stats.isDirectory()) {
    throw new CommandError(`${what} cannot be opened: ${path} is not a directory`);
  }
}
