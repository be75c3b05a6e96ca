import { join } from "node:path";
import { BlobIndexBuilder, decodeBlobIndex } from "llm-worker/blob";
import type { BlobDescription } from "llm-worker/blob";
import { removeIfPresent } from "./atomic-write.js";
import {
  KIND_OF_EXTENSION,
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

/**
 * Reads the sidecar of a payload. If it is missing or unreadable the payload is scanned instead,
 * and what a large one gives is kept in a new sidecar.
 * @throws BlobStoreError `corrupt` if sidecar or name and payload do not match
 */
export async function describePayload(
  fileSystem: FileSystem,
  directory: FsDirectory,
  payload: FsPayload,
): Promise<BlobDescription> {
  const path = join(directory.path, payload.id + SIDECAR_EXTENSION);
  const sidecar = await readFileIfPresent(fileSystem, path);
  const known = sidecar && decodeBlobIndex(sidecar);
  const description = known ?? (await scan(payload));
  // Deleted meanwhile, its sidecar first gone: what the scan says would be less than was known.
  if (!known) await payload.assertUnchanged();
  const { stat, index } = description;
  if (stat.byteCount !== payload.byteCount) {
    throw blobCorrupt(
      payload.id,
      `its payload has ${payload.byteCount} bytes, its index is for ${stat.byteCount}`,
    );
  }
  if (payloadExtension(stat) !== payload.extension) {
    throw blobCorrupt(payload.id, `a ${payload.extension} file with content of kind ${stat.kind}`);
  }
  // An unreadable sidecar may be one of a later version that knows a media type which the scan
  // cannot find: only where the scan finds all is it replaced.
  if (!known && index && stat.validUtf8 !== false) {
    await keep(fileSystem, directory, path, payload, description);
  }
  return description;
}

async function scan(payload: FsPayload): Promise<BlobDescription> {
  if (payload.extension === ".bin") return { stat: plainBinaryStat(payload.byteCount) };
  const builder = new BlobIndexBuilder({ kind: KIND_OF_EXTENSION[payload.extension] });
  for (let start = 0; start < payload.byteCount; start += PIECE_BYTES) {
    builder.write(await payload.read(start, Math.min(start + PIECE_BYTES, payload.byteCount)));
  }
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
