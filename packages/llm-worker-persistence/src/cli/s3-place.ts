import type { S3Options } from "../s3/s3-options.js";
import { UsageError } from "./usage.js";

/** Whether a place is one in S3, and not a directory. */
export function isS3Place(place: string): boolean {
  return place.startsWith("s3://");
}

/**
 * The options of stores at `s3://BUCKET/PREFIX`.
 *
 * @param option which one gave the place
 * @throws UsageError
 */
export function s3OptionsOf(
  option: string,
  place: string,
  endpoint: string | undefined,
): S3Options {
  const [bucket = "", ...rest] = place.slice("s3://".length).split("/");
  if (bucket === "") throw new UsageError(`the bucket is missing: ${option} s3://BUCKET/PREFIX`);
  const prefix = rest.join("/");
  if (endpoint === undefined) return { bucket, prefix };
  // Other services rarely care about a region, but the SDK does.
  const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  const region = AWS_REGION ?? AWS_DEFAULT_REGION ?? "us-east-1";
  return { bucket, prefix, client: { endpoint, region, forcePathStyle: true } };
}

/** @throws UsageError for what is neither a directory nor in S3 */
export function assertKnownPlace(option: string, place: string): void {
  if (!isS3Place(place) && /^[a-z][a-z0-9+.-]+:\/\//i.test(place)) {
    throw new UsageError(`${option} takes a directory or s3://BUCKET/PREFIX`);
  }
}
