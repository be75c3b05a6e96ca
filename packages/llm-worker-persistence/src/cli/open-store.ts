import { stat } from "node:fs/promises";
import type { CompleteBlobStore } from "../blob-store.js";
import { FsBlobStore } from "../fs-blob-store.js";
import { CommandError, UsageError } from "./usage.js";

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
  if (store.startsWith("s3://")) return openS3Store(store, endpoint);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(store)) {
    throw new UsageError("--store takes a directory or s3://BUCKET/PREFIX");
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

async function openS3Store(
  place: string,
  endpoint: string | undefined,
): Promise<CompleteBlobStore> {
  const [bucket = "", ...rest] = place.slice("s3://".length).split("/");
  if (bucket === "") throw new UsageError("the bucket is missing: --store s3://BUCKET/PREFIX");
  // Loaded only here: who keeps files needs no SDK.
  const { S3BlobStore } = await import("../s3/index.js");
  const prefix = rest.join("/");
  if (endpoint === undefined) return new S3BlobStore({ bucket, prefix });
  // Other services rarely care about a region, but the SDK does.
  const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  const region = AWS_REGION ?? AWS_DEFAULT_REGION ?? "us-east-1";
  return new S3BlobStore({ bucket, prefix, client: { endpoint, region, forcePathStyle: true } });
}
