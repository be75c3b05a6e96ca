import { readRange, type S3ObjectPart } from "./read-range.js";
import { readBody } from "./s3-body.js";
import { mayHaveBeenDone, S3Failure, S3IntegrityFailure } from "./s3-failure.js";
import type { S3Options } from "./s3-options.js";
import { S3Requests } from "./s3-requests.js";
import type { S3Output } from "./s3-sdk.js";

/** What a new object is made of. */
export interface NewS3Object {
  readonly key: string;
  readonly contentType: string;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** One row of a listing. */
export interface S3ObjectEntry {
  readonly key: string;
  readonly byteCount: number;
  readonly modifiedAtMs: number;
}

/** The objects of one bucket. All methods reject with `S3Failure` or `S3IntegrityFailure`. */
export class S3Objects {
  readonly requests: S3Requests;
  readonly bucket: string;
  readonly #storage: {
    readonly StorageClass?: string;
    readonly ServerSideEncryption?: string;
    readonly SSEKMSKeyId?: string;
    readonly BucketKeyEnabled?: boolean;
  };
  #hasConditionalPuts = true;

  constructor(options: S3Options) {
    this.requests = new S3Requests(options);
    this.bucket = options.bucket;
    const { storageClass, encryption } = options;
    this.#storage = {
      ...(storageClass !== undefined && { StorageClass: storageClass }),
      ...(encryption && { ServerSideEncryption: encryption.algorithm }),
      ...(encryption?.kmsKeyId !== undefined && { SSEKMSKeyId: encryption.kmsKeyId }),
      ...(encryption?.bucketKey && { BucketKeyEnabled: encryption.bucketKey === "enabled" }),
    };
  }

  /** Whether the server has refused a conditional PUT as something that it does not know. */
  get hasConditionalPuts(): boolean {
    return this.#hasConditionalPuts;
  }

  /** The fields of a request that makes a new object. */
  newObjectInput({ key, contentType, metadata }: NewS3Object): {
    readonly Bucket: string;
    readonly Key: string;
    readonly ContentType: string;
    readonly Metadata?: Readonly<Record<string, string>> | undefined;
  } {
    return {
      Bucket: this.bucket,
      Key: key,
      ContentType: contentType,
      Metadata: metadata,
      ...this.#storage,
    };
  }

  /** Writes an object, in the place of one that is there. */
  async put(object: NewS3Object, bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
    const input = { ...this.newObjectInput(object), Body: bytes };
    await this.requests.send("PutObject", input, { signal });
  }

  /**
   * Writes an object if there is none of its key. A refusal because of an earlier attempt of this very
   * call, whose answer was lost, is success: the metadata has to tell one write from another.
   *
   * @returns `taken` if there is another one; `unsupported`, with nothing written, if the server
   * cannot do this
   */
  async putNew(
    object: NewS3Object,
    bytes: Uint8Array,
    signal?: AbortSignal,
  ): Promise<"stored" | "taken" | "unsupported"> {
    if (!this.#hasConditionalPuts) return "unsupported";
    const input = { ...this.newObjectInput(object), Body: bytes, IfNoneMatch: "*" as const };
    try {
      await this.requests.send("PutObject", input, { signal });
      return "stored";
    } catch (error) {
      if (error instanceof S3Failure && error.status === 501) {
        this.#hasConditionalPuts = false;
        return "unsupported";
      }
      if (!(error instanceof S3Failure) || error.status !== 412) throw error;
      const found = await this.getIfPresent(object.key, 0, 1);
      return found && isSame(found, object, bytes.length) ? "stored" : "taken";
    }
  }

  /**
   * The bytes of `[start, end)`, cut to the object. A body that breaks is continued; whether all of it
   * is from the same object the server is asked to check.
   *
   * @param etag only of the object with this one
   * @returns `undefined` if there is no object of the key
   */
  async getIfPresent(
    key: string,
    start: number,
    end: number,
    etag?: string,
  ): Promise<S3ObjectPart | undefined> {
    try {
      return await readRange(this.requests, { bucket: this.bucket, key, start, end, etag });
    } catch (error) {
      if (error instanceof S3Failure) {
        // A bucket that is not there is another matter.
        if (error.reason === "NoSuchKey") return undefined;
        if (error.status === 416) return await this.#getEmpty(key, start);
        if (error.status === 412) throw new S3IntegrityFailure("it was replaced meanwhile");
      }
      throw error;
    }
  }

  /** Removes an object if it is there. */
  async delete(key: string): Promise<void> {
    try {
      await this.requests.send("DeleteObject", { Bucket: this.bucket, Key: key });
    } catch (error) {
      if (!(error instanceof S3Failure) || error.reason !== "NoSuchKey") throw error;
    }
  }

  /**
   * All objects whose keys begin with `prefix`, in order of their keys.
   *
   * @param startAfter only keys behind this text
   */
  async *list(prefix: string, startAfter?: string): AsyncGenerator<S3ObjectEntry, void, undefined> {
    let page: S3Output<"ListObjectsV2"> = {};
    do {
      page = await this.requests.send("ListObjectsV2", {
        Bucket: this.bucket,
        Prefix: prefix,
        ...(startAfter !== undefined && { StartAfter: startAfter }),
        ContinuationToken: page.NextContinuationToken,
      });
      assertListing(page);
      for (const { Key, Size, LastModified } of page.Contents ?? []) {
        if (Key === undefined) continue;
        yield { key: Key, byteCount: Size ?? 0, modifiedAtMs: LastModified?.getTime() ?? 0 };
      }
    } while (page.IsTruncated === true);
  }

  /** A range beyond the end says nothing of an object but that it is shorter. */
  async #getEmpty(key: string, start: number): Promise<S3ObjectPart> {
    const input = { Bucket: this.bucket, Key: key };
    const { Body, ContentLength, ETag, Metadata } = await this.requests.send("GetObject", input);
    const bytes = new Uint8Array();
    if (Body) await readBody(Body, bytes, this.requests.idleTimeoutMs);
    return { bytes, start, totalBytes: ContentLength ?? 0, etag: ETag, metadata: Metadata ?? {} };
  }
}

/** Every page says whether another follows. One that does not, such as an empty answer, is not the end. */
function assertListing({ IsTruncated, NextContinuationToken }: S3Output<"ListObjectsV2">): void {
  if (IsTruncated === false || (IsTruncated && NextContinuationToken !== undefined)) return;
  throw new S3Failure("S3 gave a listing without its end", {
    reason: "IncompleteListing",
    status: 200,
  });
}

/** Whether a failed write may have left something that has to be removed. */
export function mayHaveLeftSomething(thrown: unknown): boolean {
  return !(thrown instanceof S3Failure) || mayHaveBeenDone(thrown);
}

function isSame(found: S3ObjectPart, { metadata = {} }: NewS3Object, byteCount: number): boolean {
  return (
    found.totalBytes === byteCount &&
    Object.entries(metadata).every(([name, value]) => found.metadata[name] === value)
  );
}
