import type { ObjectIndex } from "./blob-index.js";
import type { BlobStat } from "./blob-store.js";
import { encodedEntrySize } from "./index-codec.js";
import { JsonPartScanner } from "./json-part-scanner.js";
import { MAX_INDEXED_KEY_UNITS, MemberIndexer } from "./member-indexer.js";
import { SparseOffsets } from "./sparse-offsets.js";

/** What a JSON text turned out to be. */
export type JsonShape = Pick<BlobStat, "entryCount" | "keyCount"> & {
  readonly kind: "json_array" | "json_object" | "json_value";
};

/** Scans a JSON text and keeps where elements and members are. */
export class JsonIndexer {
  readonly elements: SparseOffsets = new SparseOffsets();
  readonly #members: MemberIndexer = new MemberIndexer();
  readonly #parts: JsonPartScanner = new JsonPartScanner(
    {
      onElement: (start) => this.elements.add(start),
      onMember: (member) => this.#members.add(member),
    },
    { maxKeyUnits: MAX_INDEXED_KEY_UNITS },
  );

  /** It is not JSON. */
  get hasFailed(): boolean {
    return this.#parts.scanner.failure !== undefined;
  }

  write(piece: Uint8Array): void {
    this.#parts.write(piece);
  }

  /** Ends the input. `undefined`: it was not one JSON value. */
  end(): JsonShape | undefined {
    if (!this.#parts.end()) return undefined;
    switch (this.#parts.scanner.rootType) {
      case "array":
        return { kind: "json_array", entryCount: this.elements.count };
      case "object":
        return { kind: "json_object", keyCount: this.#members.memberCount };
      case undefined:
        return { kind: "json_value" };
    }
  }

  /** The members, as many as fit into so many bytes of an encoded index. */
  objectIndex(maxBytes: number): ObjectIndex {
    return this.#members.finish(maxBytes, encodedEntrySize);
  }
}
