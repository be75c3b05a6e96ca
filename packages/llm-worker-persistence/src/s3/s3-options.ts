import type { S3ClientConfig, S3ClientLike } from "./s3-sdk.js";

/** How objects are encrypted by the server; absent: as the bucket says. */
export interface S3Encryption {
  /** `AES256`, `aws:kms`, `aws:kms:dsse`: what the server knows. */
  readonly algorithm: string;
  readonly kmsKeyId?: string | undefined;
  readonly bucketKey?: "enabled" | "disabled" | undefined;
}

/** Options of all stores in S3. */
export interface S3Options {
  readonly bucket: string;
  /** What all keys begin with, `agents/prod` say. Default: nothing. */
  readonly prefix?: string | undefined;
  /**
   * An `S3Client`, or what to make one with. Default `{}`: region and credentials from where the SDK
   * always takes them. A client of your own keeps its own retries, beside those of the store.
   */
  readonly client?: S3ClientLike | S3ClientConfig | undefined;
  /** `STANDARD_IA`, `GLACIER_IR`, …; default: the server's. */
  readonly storageClass?: string | undefined;
  readonly encryption?: S3Encryption | undefined;
  /**
   * Streams are uploaded in parts of this size, each held in memory until it is there, two at a
   * time. 5 MiB to 5 GiB, default 8 MiB. A blob has 10,000 parts at most.
   */
  readonly partBytes?: number | undefined;
  /** So long may nothing arrive before a request counts as failed. Default 30,000. */
  readonly idleTimeoutMs?: number | undefined;
  /** So often is a request sent before it counts as failed. Default 5. */
  readonly maxAttempts?: number | undefined;
  /** In place of the growing random waits between attempts, for tests. */
  readonly retryDelayMs?: ((failedAttempts: number) => number) | undefined;
}

export const DEFAULT_PART_BYTES: number = 8 * 1024 * 1024;
/** A part that is not the last may not be smaller. */
export const MIN_PART_BYTES: number = 5 * 1024 * 1024;
export const MAX_PART_COUNT = 10_000;
export const DEFAULT_IDLE_TIMEOUT_MS = 30_000;
export const DEFAULT_MAX_ATTEMPTS = 5;

/** The size of a part by the options. @throws RangeError */
export function partBytesOf({ partBytes = DEFAULT_PART_BYTES }: S3Options): number {
  if (Number.isSafeInteger(partBytes) && partBytes >= MIN_PART_BYTES) return partBytes;
  throw new RangeError(`partBytes has to be an integer of at least ${MIN_PART_BYTES}`);
}

/** What keys begin with by the options: nothing, or something that ends with `/`. */
export function keyPrefixOf({ prefix = "" }: S3Options): string {
  return prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`;
}
