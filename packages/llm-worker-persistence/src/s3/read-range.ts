import { type ContentRange, formatRange, parseContentRange } from "./content-range.js";
import { readBody } from "./s3-body.js";
import { S3Failure, S3IntegrityFailure, toS3Failure } from "./s3-failure.js";
import type { S3Requests } from "./s3-requests.js";
import type { S3Output } from "./s3-sdk.js";

/** A part of an object, and what its answer tells of the whole. */
export interface S3ObjectPart {
  readonly bytes: Uint8Array;
  /** Where in the object `bytes` begin. */
  readonly start: number;
  readonly totalBytes: number;
  readonly etag: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Which bytes of which object are wanted: `[start, end)`, cut to the object. */
export interface RangeRequest {
  readonly bucket: string;
  readonly key: string;
  readonly start: number;
  readonly end: number;
  /** Only of the object with this one. */
  readonly etag?: string | undefined;
}

/** After so much of a body, a break counts as the first again. */
const PROGRESS_BYTES = 1024 * 1024;

/**
 * Reads a range of an object. A body that breaks is continued where it broke; whether all of it is from
 * the same object the server is asked to check.
 *
 * @throws S3Failure; S3IntegrityFailure
 */
export async function readRange(
  requests: S3Requests,
  { bucket, key, start, end, etag }: RangeRequest,
): Promise<S3ObjectPart> {
  let part: (S3ObjectPart & ContentRange) | undefined;
  let filled = 0;
  let kept = 0;
  for (let failures = 0; ;) {
    const match = part?.etag ?? etag;
    const input = {
      Bucket: bucket,
      Key: key,
      Range: formatRange(start + filled, part?.end ?? end),
      ...(match !== undefined && { IfMatch: match }),
    };
    // Answers that do not come and bodies that break use up the same attempts.
    const answer = await requests.send("GetObject", input, {
      failedAttempts: failures,
      onRetry: () => {
        failures += 1;
      },
    });
    let range: ContentRange;
    try {
      range = checkedRange(answer, start + filled, part?.end ?? end, part?.totalBytes);
    } catch (error) {
      answer.Body?.destroy?.();
      throw error;
    }
    part ??= {
      ...range,
      bytes: uninitialized(range.end - start),
      etag: answer.ETag,
      metadata: answer.Metadata ?? {},
    };
    if (answer.Body === undefined) throw new S3IntegrityFailure("an answer without a body");
    const rest = part.bytes.subarray(filled);
    const outcome = await readBody(answer.Body, rest, requests.idleTimeoutMs);
    filled += outcome.filled;
    if (filled === part.bytes.length) return part;
    if (filled > part.bytes.length) throw new S3IntegrityFailure("more bytes than were asked for");
    if (filled - kept >= PROGRESS_BYTES) {
      failures = 0;
      kept = filled;
    }
    failures += 1;
    const error = outcome.error ?? new S3Failure("the body ended early", { reason: "BodyEnded" });
    if (failures >= requests.maxAttempts) throw toS3Failure(error);
    await requests.wait(failures);
  }
}

/** Not zeroed first: it is given out full or not at all. Not a `Buffer`, whose `slice` does not copy. */
function uninitialized(byteCount: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(byteCount).buffer);
}

function checkedRange(
  { ContentRange: header, ContentLength: length }: S3Output<"GetObject">,
  start: number,
  end: number,
  totalBytes: number | undefined,
): ContentRange {
  const range = parseContentRange(header);
  if (range === undefined) throw new S3IntegrityFailure("an answer without the range asked for");
  if (range.start !== start || range.end !== Math.min(end, range.totalBytes)) {
    throw new S3IntegrityFailure("another range than was asked for");
  }
  if (totalBytes !== undefined && range.totalBytes !== totalBytes) {
    throw new S3IntegrityFailure("another size than a moment ago");
  }
  if (length !== undefined && length !== range.end - range.start) {
    throw new S3IntegrityFailure(`${length} bytes instead of ${range.end - range.start}`);
  }
  return range;
}
