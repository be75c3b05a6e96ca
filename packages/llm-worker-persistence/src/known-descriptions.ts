import type { BlobDescription, BlobId } from "llm-worker/blob";
import type { PayloadExtension } from "./blob-layout.js";
import type { FileIdentity, FsPayload } from "./fs-payload.js";

/** Of the sidecars of all that is remembered; decoded they are several times as much. */
const MAX_SIDECAR_BYTES = 1_048_576;
/** What a description counts with beside its sidecar. */
const ENTRY_BYTES = 1024;

interface Known {
  readonly identity: FileIdentity;
  readonly extension: PayloadExtension;
  readonly description: BlobDescription;
  readonly byteCount: number;
}

/**
 * Descriptions of the blobs that were read last, in bounded memory. One is given out only for the
 * very file that it was made of.
 */
export class KnownDescriptions {
  /** The one used longest ago first. */
  readonly #byUse = new Map<BlobId, Known>();
  #byteCount = 0;

  get({ id, identity }: FsPayload): BlobDescription | undefined {
    const known = this.#byUse.get(id);
    if (known === undefined) return undefined;
    this.#byUse.delete(id);
    if (!isSame(known.identity, identity)) {
      this.#byteCount -= known.byteCount;
      return undefined;
    }
    this.#byUse.set(id, known);
    return known.description;
  }

  /** The extension that the payload has had. */
  extension(id: BlobId): PayloadExtension | undefined {
    return this.#byUse.get(id)?.extension;
  }

  /** @param sidecarBytes of the sidecar that says the same */
  add(payload: FsPayload, description: BlobDescription, sidecarBytes: number): void {
    const { id, identity, extension } = payload;
    this.forget(id);
    const byteCount = ENTRY_BYTES + sidecarBytes;
    for (const [oldest] of this.#byUse) {
      if (this.#byteCount + byteCount <= MAX_SIDECAR_BYTES) break;
      this.forget(oldest);
    }
    this.#byUse.set(id, { identity, extension, description, byteCount });
    this.#byteCount += byteCount;
  }

  forget(id: BlobId): void {
    this.#byteCount -= this.#byUse.get(id)?.byteCount ?? 0;
    this.#byUse.delete(id);
  }
}

function isSame(one: FileIdentity, other: FileIdentity): boolean {
  return (
    one.ino === other.ino &&
    one.dev === other.dev &&
    one.size === other.size &&
    one.mtimeMs === other.mtimeMs
  );
}
