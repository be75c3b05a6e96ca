import { BlobIndexBuilder } from "llm-worker/blob";
import type { BlobId, BlobIndex, BlobIndexBuilderOptions, BlobStat } from "llm-worker/blob";
import {
  MIN_SIDECAR_PAYLOAD_BYTES,
  type PayloadExtension,
  payloadExtension,
} from "../blob-layout.js";
import type { BlobSink } from "../blob-sink.js";
import { BlobStoreError } from "../blob-store-error.js";
import type { BlobKeys } from "./blob-keys.js";
import { BlockChecksumBuilder } from "./block-checksums.js";
import { contentTypeHeader } from "./content-type.js";
import { MultipartUpload } from "./multipart-upload.js";
import { encodeRecord, recordMetadata } from "./object-record.js";
import { PartBuffer } from "./part-buffer.js";
import { createS3BlobId } from "./s3-blob-id.js";
import { toBlobStoreError } from "./s3-error.js";
import { mayHaveLeftSomething, type S3Objects } from "./s3-objects.js";

/** How the bytes of a new blob are to be taken. */
export interface S3BlobSinkOptions {
  readonly partBytes: number;
  /** What is known of the content beforehand. */
  readonly content: BlobIndexBuilderOptions;
  readonly signal?: AbortSignal | undefined;
}

/** Writes one blob: one object at once, or in parts as soon as it is larger than a part. */
export class S3BlobSink implements BlobSink {
  readonly #objects: S3Objects;
  readonly #keys: BlobKeys;
  readonly #options: S3BlobSinkOptions;
  readonly #buffer: PartBuffer;
  readonly #checksums = new BlockChecksumBuilder();
  #streamed: { readonly id: BlobId; readonly upload: MultipartUpload } | undefined;

  constructor(objects: S3Objects, keys: BlobKeys, options: S3BlobSinkOptions) {
    this.#objects = objects;
    this.#keys = keys;
    this.#options = options;
    this.#buffer = new PartBuffer(options.partBytes);
  }

  async write(piece: Uint8Array): Promise<void> {
    this.#checksums.write(piece);
    for (let rest = piece; rest.length > 0;) {
      if (this.#buffer.isFull) await this.#doing(() => this.#sendPart());
      rest = rest.subarray(this.#buffer.take(rest));
    }
  }

  publish(stat: BlobStat, index: BlobIndex | undefined): Promise<BlobId> {
    const checksums = this.#checksums.finish();
    const record = encodeRecord({ description: { stat, index }, checksums });
    return this.#doing(() =>
      this.#streamed ? this.#publishStreamed(record) : this.#publishWhole(stat, record),
    );
  }

  async discard(): Promise<void> {
    this.#buffer.release();
    await this.#doing(async () => this.#streamed?.upload.abort());
  }

  async #sendPart(): Promise<void> {
    const { signal, content } = this.#options;
    if (!this.#streamed) {
      const extension = likelyExtension(this.#buffer.bytes, content);
      const id = createS3BlobId({ extension, sidecar: true });
      const key = this.#keys.payload(id, extension);
      const object = { key, contentType: contentTypeHeader(extension, content.mediaType) };
      this.#streamed = { id, upload: await MultipartUpload.begin(this.#objects, object, signal) };
    }
    await this.#streamed.upload.add(this.#buffer.release());
  }

  async #publishStreamed(record: Uint8Array): Promise<BlobId> {
    await this.#sendPart();
    // From here on what has to be removed is removed here.
    if (!this.#streamed) throw new TypeError("a part that was sent has an upload");
    const { id, upload } = this.#streamed;
    this.#streamed = undefined;
    try {
      // Before the payload, so that a payload that can be seen is complete.
      await this.#putSidecar(id, record);
      await upload.complete();
      return id;
    } catch (error) {
      await upload.abort().catch(() => undefined);
      await this.#remove(upload.key, this.#keys.sidecar(id));
      throw error;
    }
  }

  async #publishWhole(stat: BlobStat, record: Uint8Array): Promise<BlobId> {
    const extension = payloadExtension(stat);
    const metadata =
      stat.byteCount < MIN_SIDECAR_PAYLOAD_BYTES ? recordMetadata(record) : undefined;
    const id = createS3BlobId({ extension, sidecar: metadata === undefined });
    const key = this.#keys.payload(id, extension);
    const contentType = contentTypeHeader(extension, stat.mediaType);
    try {
      if (!metadata) await this.#putSidecar(id, record);
      await this.#putPayload({ key, contentType, metadata });
      return id;
    } catch (error) {
      if (mayHaveLeftSomething(error)) await this.#remove(key);
      if (!metadata) await this.#remove(this.#keys.sidecar(id));
      throw error;
    }
  }

  async #putPayload(object: Parameters<S3Objects["putNew"]>[0]): Promise<void> {
    const bytes = this.#buffer.release();
    const { signal } = this.#options;
    switch (await this.#objects.putNew(object, bytes, signal)) {
      case "stored":
        return;
      case "unsupported":
        // Nobody else has made the same id: the condition only guards against faults.
        return this.#objects.put(object, bytes, signal);
      case "taken":
        throw new BlobStoreError(
          "unavailable",
          "the blob was not stored, an object with its new id is there already: try again",
        );
    }
  }

  #putSidecar(id: BlobId, record: Uint8Array): Promise<void> {
    const object = { key: this.#keys.sidecar(id), contentType: "application/octet-stream" };
    return this.#objects.put(object, record, this.#options.signal);
  }

  /** What could not be removed does not hide why it should be. */
  async #remove(...keys: readonly string[]): Promise<void> {
    await Promise.all(keys.map((key) => this.#objects.delete(key).catch(() => undefined)));
  }

  async #doing<T>(task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } catch (error) {
      throw toBlobStoreError(error, {
        what: "the blob was not stored",
        bucket: this.#objects.bucket,
      });
    }
  }
}

const GUESS_BYTES = 64 * 1024;

/** What a blob is going to be, by its beginning: its key is needed before its end is known. */
function likelyExtension(start: Uint8Array, options: BlobIndexBuilderOptions): PayloadExtension {
  const builder = new BlobIndexBuilder(options);
  builder.write(start.subarray(0, GUESS_BYTES));
  if (builder.finish().stat.kind === "binary") return ".bin";
  if (options.kind === "structured") return ".json";
  const isText = options.kind !== undefined || options.mediaType?.startsWith("text/");
  return !isText && /^\s*[[{]/.test(latin1Start(start)) ? ".json" : ".txt";
}

function latin1Start(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(0, GUESS_BYTES)).toString("latin1");
}
