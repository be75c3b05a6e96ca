import { BlobIndexBuilder, decodeBlobIndex, encodeBlobIndex, openBlobIndex } from "llm-worker/blob";
import type { BlobDescription, BlobId, BlobStat } from "llm-worker/blob";
import { removeIfPresent } from "./atomic-write.js";
import {
  KIND_OF_EXTENSION,
  type PayloadExtension,
  payloadExtension,
  plainBinaryStat,
  SIDECAR_EXTENSION,
} from "./blob-layout.js";
import { blobCorrupt } from "./blob-store-error.js";
import { PIECE_BYTES } from "./content-pieces.js";
import type { FileSystem } from "./file-system.js";
import { writeSidecar } from "./fs-blob-sink.js";
import type { FsDirectory } from "./fs-directory.js";
import { type FsPayload, readFileIfPresent } from "./fs-payload.js";
import { KnownDescriptions } from "./known-descriptions.js";

/**
 * Tells what is known of the payloads in a directory, and remembers it of those that were asked for
 * last: to read an index takes longer than to read a part of the payload.
 */
export class FsDescriptions {
  readonly #fileSystem: FileSystem;
  readonly #directory: FsDirectory;
  readonly #known = new KnownDescriptions();
  /** Blobs whose sidecar an answer has found to be broken. */
  readonly #broken = new Set<BlobId>();

  constructor(fileSystem: FileSystem, directory: FsDirectory) {
    this.#fileSystem = fileSystem;
    this.#directory = directory;
  }

  /** The extension that the payload has had, if that is remembered. */
  likelyExtension(id: BlobId): PayloadExtension | undefined {
    return this.#known.extension(id);
  }

  /** The sidecar of a payload, if there is one, and nothing is remembered of the payload. */
  async readSidecar(id: BlobId): Promise<Uint8Array | undefined> {
    if (this.#known.extension(id) !== undefined) return undefined;
    return readFileIfPresent(this.#fileSystem, this.#pathOf(id));
  }

  /**
   * Tells what is known of a payload, by its sidecar. If that is missing or unreadable the payload is
   * scanned instead, and what a large one gives is kept in a new sidecar.
   * @param read what {@link readSidecar} has found
   * @throws BlobStoreError `corrupt` if sidecar or name and payload do not match
   */
  async describe(payload: FsPayload, read: Uint8Array | undefined): Promise<BlobDescription> {
    const remembered = this.#known.get(payload);
    if (remembered) return remembered;
    const path = this.#pathOf(payload.id);
    // That there is none is true only of what was looked for after the payload, which is published last.
    const sidecar = read ?? (await readFileIfPresent(this.#fileSystem, path));
    const known = sidecar && this.#open(payload.id, sidecar);
    const description = known ?? (await scan(payload));
    // Deleted meanwhile, its sidecar first gone: what the scan says would be less than was known.
    if (!known) await payload.assertUnchanged();
    checkMatch(payload, description.stat);
    const { stat, index } = description;
    // An unreadable sidecar may be one of a later version that knows a media type which the scan
    // cannot find: only where the scan finds all is it replaced.
    if (!known && index && stat.validUtf8 !== false) {
      await keep(this.#fileSystem, this.#directory, path, payload, description);
    }
    const { length } = known && sidecar ? sidecar : encodeBlobIndex(description);
    this.#known.add(payload, description, length);
    return description;
  }

  /** After the blob was deleted. */
  forget(id: BlobId): void {
    this.#known.forget(id);
    this.#broken.delete(id);
  }

  #pathOf(id: BlobId): string {
    return this.#directory.pathOf(id + SIDECAR_EXTENSION);
  }

  #open(id: BlobId, sidecar: Uint8Array): BlobDescription | undefined {
    // Found broken before: this time all of it is looked at.
    if (this.#broken.delete(id)) return decodeBlobIndex(sidecar);
    const description = openBlobIndex(sidecar, () => {
      this.#known.forget(id);
      this.#broken.add(id);
    });
    if (description === undefined) this.#broken.delete(id);
    return description;
  }
}

function checkMatch({ id, byteCount, extension }: FsPayload, stat: BlobStat): void {
  if (stat.byteCount !== byteCount) {
    throw blobCorrupt(id, `its payload has ${byteCount} bytes, its index is for ${stat.byteCount}`);
  }
  if (payloadExtension(stat) !== extension) {
    throw blobCorrupt(id, `a ${extension} file with content of kind ${stat.kind}`);
  }
}

/** Reads a piece while the one before it is looked at. */
async function scan(payload: FsPayload): Promise<BlobDescription> {
  const { byteCount, extension } = payload;
  if (extension === ".bin") return { stat: plainBinaryStat(byteCount) };
  const builder = new BlobIndexBuilder({ kind: KIND_OF_EXTENSION[extension] });
  const pieceBytes = Math.min(PIECE_BYTES, byteCount);
  let [current, next] = [new Uint8Array(pieceBytes), new Uint8Array(pieceBytes)];
  const readNext = async (start: number): Promise<Uint8Array> => {
    const target = next.subarray(0, byteCount - start);
    await payload.readInto(target, start);
    return target;
  };
  let reading = readNext(0);
  for (let start = 0; start < byteCount; start += PIECE_BYTES) {
    const piece = await reading;
    [current, next] = [next, current];
    reading = readNext(Math.min(start + PIECE_BYTES, byteCount));
    builder.write(piece);
  }
  await reading;
  return builder.finish();
}

// The blob can be read without it, so a store that may only be read is no error.
async function keep(
  fileSystem: FileSystem,
  directory: FsDirectory,
  path: string,
  payload: FsPayload,
  description: BlobDescription,
): Promise<void> {
  try {
    await writeSidecar(directory, path, description);
  } catch {
    return;
  }
  try {
    await payload.assertUnchanged();
  } catch (error) {
    // Deleted while it was scanned: its sidecar must not stay behind.
    await removeIfPresent(fileSystem, path).catch(() => undefined);
    throw error;
  }
}
