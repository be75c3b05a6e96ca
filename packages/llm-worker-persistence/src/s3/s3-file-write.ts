import { randomUUID } from "node:crypto";
import { nameBeside } from "../file-path.js";
import { BlockChecksumBuilder } from "./block-checksums.js";
import type { FileKeys } from "./file-keys.js";
import { MultipartUpload } from "./multipart-upload.js";
import { encodeRecord, recordMetadata } from "./object-record.js";
import { PartBuffer } from "./part-buffer.js";
import { mayHaveLeftSomething, type S3Objects } from "./s3-objects.js";

const CONTENT_TYPE = "application/octet-stream";
/** Tells one write from another: a refusal because of its own lost answer is no refusal. */
const WRITE = "llm-worker-write";

type Metadata = Readonly<Record<string, string>>;

/** Writes one file: at once under its name if that is free, or in parts under a name of its own. */
export class S3FileWrite {
  readonly #objects: S3Objects;
  readonly #keys: FileKeys;
  readonly #wanted: readonly string[];
  readonly #buffer: PartBuffer;
  readonly #checksums = new BlockChecksumBuilder();
  #byteCount = 0;
  #streamed: { readonly names: readonly string[]; readonly upload: MultipartUpload } | undefined;

  constructor(objects: S3Objects, keys: FileKeys, names: readonly string[], partBytes: number) {
    this.#objects = objects;
    this.#keys = keys;
    this.#wanted = names;
    this.#buffer = new PartBuffer(partBytes);
  }

  /** Takes the next bytes; the caller may reuse them afterwards. */
  async write(piece: Uint8Array): Promise<void> {
    this.#checksums.write(piece);
    this.#byteCount += piece.length;
    for (let rest = piece; rest.length > 0;) {
      if (this.#buffer.isFull) await this.#sendPart();
      rest = rest.subarray(this.#buffer.take(rest));
    }
  }

  /** Makes the file visible and resolves to its names. */
  async publish(): Promise<readonly string[]> {
    const record = this.#record();
    const metadata = this.#streamed ? undefined : recordMetadata(record);
    const names = metadata && (await this.#publishAsWanted(metadata));
    return names ?? this.#publishBeside(record, metadata);
  }

  /** Leaves nothing behind. */
  async discard(): Promise<void> {
    this.#buffer.release();
    await this.#streamed?.upload.abort();
  }

  async #sendPart(): Promise<void> {
    if (!this.#streamed) {
      // Of an upload in parts not every server looks whether its name is free.
      const names = besides(this.#wanted);
      const object = { key: this.#keys.file(names), contentType: CONTENT_TYPE };
      this.#streamed = { names, upload: await MultipartUpload.begin(this.#objects, object) };
    }
    await this.#streamed.upload.add(this.#buffer.release());
  }

  /** `undefined` if the server cannot say whether a name is free. */
  async #publishAsWanted(metadata: Metadata): Promise<readonly string[] | undefined> {
    for (let names = this.#wanted; ; names = besides(this.#wanted)) {
      const key = this.#keys.file(names);
      const write = randomUUID();
      const object = { key, contentType: CONTENT_TYPE, metadata: { ...metadata, [WRITE]: write } };
      try {
        const outcome = await this.#objects.putNew(object, this.#buffer.bytes);
        if (outcome === "stored") return names;
        if (outcome === "unsupported") return undefined;
      } catch (error) {
        if (mayHaveLeftSomething(error)) await this.#removeIfOf(write, key).catch(() => undefined);
        throw error;
      }
    }
  }

  async #publishBeside(record: Uint8Array, metadata?: Metadata): Promise<readonly string[]> {
    if (this.#streamed) await this.#sendPart();
    const { names, upload } = this.#streamed ?? { names: besides(this.#wanted) };
    const key = this.#keys.file(names);
    const sidecar = this.#keys.sidecar(names);
    try {
      // Before the file, so that a file that can be seen can be verified.
      if (!metadata) await this.#objects.put({ key: sidecar, contentType: CONTENT_TYPE }, record);
      if (upload) await upload.complete();
      else
        await this.#objects.put({ key, contentType: CONTENT_TYPE, metadata }, this.#buffer.bytes);
      return names;
    } catch (error) {
      // What could not be removed does not hide why it should be.
      await upload?.abort().catch(() => undefined);
      for (const left of [key, sidecar]) await this.#objects.delete(left).catch(() => undefined);
      throw error;
    }
  }

  async #removeIfOf(write: string, key: string): Promise<void> {
    const found = await this.#objects.getIfPresent(key, 0, 1);
    if (found?.metadata[WRITE] === write) await this.#objects.delete(key);
  }

  #record(): Uint8Array {
    const stat = { kind: "binary", byteCount: this.#byteCount, mediaType: CONTENT_TYPE } as const;
    return encodeRecord({ description: { stat }, checksums: this.#checksums.finish() });
  }
}

function besides(names: readonly string[]): readonly string[] {
  return [...names.slice(0, -1), nameBeside(names.at(-1) ?? "")];
}
