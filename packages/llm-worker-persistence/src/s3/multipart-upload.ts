import { S3Failure } from "./s3-failure.js";
import { mayHaveLeftSomething, type NewS3Object, type S3Objects } from "./s3-objects.js";
import { MAX_PART_COUNT } from "./s3-options.js";
import type { UploadedPart } from "./s3-sdk.js";

/** One object that is uploaded in parts. Nothing of it is visible before `complete` has been called. */
export class MultipartUpload {
  readonly key: string;
  readonly #objects: S3Objects;
  readonly #uploadId: string;
  readonly #signal: AbortSignal | undefined;
  readonly #parts: UploadedPart[] = [];
  #byteCount = 0;
  #uploading: Promise<UploadedPart> | undefined;

  private constructor(objects: S3Objects, key: string, uploadId: string, signal?: AbortSignal) {
    this.#objects = objects;
    this.key = key;
    this.#uploadId = uploadId;
    this.#signal = signal;
  }

  /** @throws S3Failure; the signal's reason */
  static async begin(
    objects: S3Objects,
    object: NewS3Object,
    signal?: AbortSignal,
  ): Promise<MultipartUpload> {
    signal?.throwIfAborted();
    const input = objects.newObjectInput(object);
    // The signal ends its attempts but not the request: an upload whose id does not arrive would stay.
    const { UploadId } = await objects.requests.send("CreateMultipartUpload", input, {
      onRetry: () => signal?.throwIfAborted(),
    });
    if (UploadId === undefined) {
      throw new S3Failure("S3 began an upload without an id", {
        reason: "NoUploadId",
        status: 200,
      });
    }
    const upload = new MultipartUpload(objects, object.key, UploadId, signal);
    // What could not be removed does not hide why it should be.
    if (signal?.aborted === true) await upload.abort().catch(() => undefined);
    signal?.throwIfAborted();
    return upload;
  }

  /**
   * Takes the next part and uploads it beside whatever comes next: resolves when the part before has
   * arrived. All but the last must have the same size.
   */
  async add(bytes: Uint8Array): Promise<void> {
    await this.#arrived();
    const PartNumber = this.#parts.length + 1;
    if (PartNumber > MAX_PART_COUNT) {
      throw new S3Failure(`there are more than ${MAX_PART_COUNT} parts: make partBytes larger`, {
        reason: "TooManyParts",
      });
    }
    this.#byteCount += bytes.length;
    this.#uploading = this.#upload(PartNumber, bytes);
    // Told to whoever comes next.
    this.#uploading.catch(() => undefined);
  }

  /** Makes the object visible. The caller aborts if this rejects. */
  async complete(): Promise<void> {
    await this.#arrived();
    let wasDone = false;
    try {
      await this.#objects.requests.send(
        "CompleteMultipartUpload",
        { ...this.#address(), MultipartUpload: { Parts: this.#parts } },
        {
          signal: this.#signal,
          onRetry: (failure) => {
            wasDone ||= mayHaveLeftSomething(failure);
          },
        },
      );
    } catch (error) {
      // An upload that has been completed is no longer there.
      const isGone = error instanceof S3Failure && error.reason === "NoSuchUpload";
      if (!wasDone || !isGone || !(await this.#isComplete())) throw error;
    }
  }

  /** Removes what has been uploaded. Harmless if there is nothing. */
  async abort(): Promise<void> {
    // A part that arrives later would stay.
    await this.#uploading?.catch(() => undefined);
    try {
      await this.#objects.requests.send("AbortMultipartUpload", this.#address());
    } catch (error) {
      if (!(error instanceof S3Failure) || error.reason !== "NoSuchUpload") throw error;
    }
  }

  async #upload(PartNumber: number, Body: Uint8Array): Promise<UploadedPart> {
    const input = { ...this.#address(), PartNumber, Body };
    const { ETag } = await this.#objects.requests.send("UploadPart", input, {
      signal: this.#signal,
    });
    return { PartNumber, ETag };
  }

  async #arrived(): Promise<void> {
    if (this.#uploading) this.#parts.push(await this.#uploading);
    this.#uploading = undefined;
  }

  async #isComplete(): Promise<boolean> {
    const found = await this.#objects.getIfPresent(this.key, 0, 1);
    return found?.totalBytes === this.#byteCount;
  }

  #address(): { readonly Bucket: string; readonly Key: string; readonly UploadId: string } {
    return { Bucket: this.#objects.bucket, Key: this.key, UploadId: this.#uploadId };
  }
}
