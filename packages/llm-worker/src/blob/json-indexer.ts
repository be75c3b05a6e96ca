import { Buffer } from "node:buffer";
import type { MemberList, PartIndex } from "./blob-index.js";
import type { BlobStat } from "./blob-store.js";
import { type JsonType, jsonTypeOf } from "./json-bytes.js";
import { JsonPartScanner, type JsonPartVisitor } from "./json-part-scanner.js";
import type { JsonScannerOptions } from "./json-visitor.js";
import { MAX_INDEXED_KEY_UNITS, MemberIndexer } from "./member-indexer.js";
import { encodedPartsSize } from "./part-codec.js";
import { PartIndexer, type PartIndexerOptions } from "./part-indexer.js";

/** What a JSON text turned out to be. */
export type JsonShape = Pick<BlobStat, "entryCount" | "keyCount"> & {
  readonly kind: "json_array" | "json_object" | "json_value";
};

/** What is taken for JSON, and bounds of its index. */
export type JsonIndexerOptions = PartIndexerOptions & Pick<JsonScannerOptions, "values">;

/** Gets the first parts of the outermost array or object, beside the index. */
export interface JsonPartListener extends Required<
  Pick<JsonPartVisitor, "onElement" | "onMember">
> {
  /** So many. */
  readonly maxParts: number;
}

/** Scans a JSON text and keeps where its parts are. */
export class JsonIndexer {
  /** Parts that the listener has been told of. */
  #toldCount = 0;
  readonly #members = new MemberIndexer();
  readonly #nested: PartIndexer;
  readonly #parts: JsonPartScanner;

  constructor(options: JsonIndexerOptions = {}, listener?: JsonPartListener) {
    const nested = new PartIndexer(options, () => this.#parts.reportKeys());
    this.#nested = nested;
    this.#parts = new JsonPartScanner(
      {
        ...(listener && this.#partsFor(listener)),
        onMembers: (keys, places) => {
          this.#members.add(keys, places);
          if (this.#members.hasGivenUp) this.#parts.leaveOutMembers();
        },
        marks: nested,
        onKey: (depth, key, start, end) =>
          nested.addKey(depth, key, isPlain(key, end - start - QUOTES_BYTES)),
      },
      { maxKeyUnits: MAX_INDEXED_KEY_UNITS, values: options.values },
    );
  }

  /** It is not JSON. */
  get hasFailed(): boolean {
    return this.#parts.scanner.failure !== undefined;
  }

  /** The types of the parts of the outermost array or object that have been scanned, in order. */
  get partTypes(): readonly JsonType[] {
    const types = this.#parts.scanner.firstBytes.map((byte) => jsonTypeOf(byte) ?? "null"); // of JSON
    return [...new Set(types)];
  }

  write(piece: Uint8Array): void {
    this.#parts.write(piece);
  }

  /** Ends the input. `undefined`: it was not one JSON value. */
  end(): JsonShape | undefined {
    if (!this.#parts.end()) return undefined;
    const { partCount, rootType } = this.#parts.scanner;
    switch (rootType) {
      case "array":
        return { kind: "json_array", entryCount: partCount };
      case "object":
        return { kind: "json_object", keyCount: partCount };
      case undefined:
        return { kind: "json_value" };
    }
  }

  /** All members of the outermost object; `undefined` if they do not fit into so many bytes of an index. */
  members(maxBytes: number): MemberList | undefined {
    return this.#members.finish(maxBytes);
  }

  /**
   * The large arrays and objects, the outermost first, in so many bytes of an encoded index. Where the
   * members are all listed, the outermost object itself needs no checkpoints.
   */
  parts(maxBytes: number, outerKeys: "listed" | "searched"): readonly PartIndex[] {
    return this.#nested.finish(maxBytes, encodedPartsSize, outerKeys);
  }

  #partsFor(listener: JsonPartListener): JsonPartVisitor {
    const isListening = (): boolean => {
      if (this.#toldCount === listener.maxParts) this.#parts.leaveOutParts();
      return this.#toldCount++ < listener.maxParts;
    };
    return {
      onElement: (start, end, firstByte, partCount) => {
        if (isListening()) listener.onElement(start, end, firstByte, partCount);
      },
      onMember: (member, partCount) => {
        if (isListening()) listener.onMember(member, partCount);
      },
    };
  }
}

const QUOTES_BYTES = 2;

/** Whether a key stands for itself: an escape takes more bytes than what it stands for. */
function isPlain(key: string | undefined, writtenBytes: number): boolean {
  if (key === undefined) return false;
  return key.length === writtenBytes || Buffer.byteLength(key) === writtenBytes;
}
