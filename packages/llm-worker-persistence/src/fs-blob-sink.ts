import { encodeBlobIndex } from "llm-worker/blob";
import type { BlobDescription, BlobId, BlobIndex, BlobStat } from "llm-worker/blob";
import { type AtomicFile, removeIfPresent } from "./atomic-write.js";
import { createBlobId } from "./blob-id.js";
import {
  MIN_SIDECAR_PAYLOAD_BYTES,
  needsSidecar,
  payloadExtension,
  SIDECAR_EXTENSION,
} from "./blob-layout.js";
import type { BlobSink } from "./blob-sink.js";
import type { FileSystem } from "./file-system.js";
import type { FsDirectory } from "./fs-directory.js";
import { toWriteError } from "./fs-error.js";

/** Writes one blob into the directory. */
export class FsBlobSink implements BlobSink {
  /** Nothing of it would be kept: such a payload has no sidecar. */
  readonly minCountedTextBytes: number = MIN_SIDECAR_PAYLOAD_BYTES;
  readonly #fileSystem: FileSystem;
  readonly #directory: FsDirectory;
  readonly #payload: AtomicFile;

  private constructor(fileSystem: FileSystem, directory: FsDirectory, payload: AtomicFile) {
    this.#fileSystem = fileSystem;
    this.#directory = directory;
    this.#payload = payload;
  }

  /** Begins a blob; makes the directory if it is not there. */
  static async open(fileSystem: FileSystem, directory: FsDirectory): Promise<FsBlobSink> {
    try {
      await directory.prepare();
      return new FsBlobSink(fileSystem, directory, await directory.createFile());
    } catch (error) {
      throw toWriteError(error);
    }
  }

  /** For a writer that may pause: see {@link AtomicFile}. */
  keepFresh(): void {
    this.#payload.keepFresh();
  }

  async write(piece: Uint8Array): Promise<void> {
    try {
      await this.#payload.write(piece);
    } catch (error) {
      throw toWriteError(error);
    }
  }

  async publish(stat: BlobStat, index: BlobIndex | undefined): Promise<BlobId> {
    const id = createBlobId();
    const pathOf = (extension: string): string => this.#directory.pathOf(id + extension);
    const payloadPath = pathOf(payloadExtension(stat));
    try {
      await this.#payload.seal(this.#directory.durability);
      // Before the payload, so that a payload that can be seen is complete.
      if (needsSidecar(stat, index)) {
        await writeSidecar(this.#directory, pathOf(SIDECAR_EXTENSION), { stat, index });
      }
      await this.#payload.publish(payloadPath);
      await this.#directory.sync();
      return id;
    } catch (error) {
      // What could not be removed does not hide why; the next start removes it.
      for (const path of [payloadPath, pathOf(SIDECAR_EXTENSION)]) {
        await removeIfPresent(this.#fileSystem, path).catch(() => undefined);
      }
      await this.#payload.discard().catch(() => undefined);
      throw toWriteError(error);
    }
  }

  async discard(): Promise<void> {
    try {
      await this.#payload.discard();
    } catch (error) {
      throw toWriteError(error);
    }
  }
}

/** Puts the sidecar of a blob in its place, or leaves nothing. */
export async function writeSidecar(
  directory: FsDirectory,
  path: string,
  description: BlobDescription,
): Promise<void> {
  const file = await directory.createFile();
  try {
    await file.write(encodeBlobIndex(description));
    await file.seal(directory.durability);
    await file.publish(path);
  } catch (error) {
    await file.discard().catch(() => undefined);
    throw error;
  }
}
