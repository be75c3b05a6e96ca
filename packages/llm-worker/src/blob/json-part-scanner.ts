import { Buffer } from "node:buffer";
import { asBuffer } from "./bytes.js";
import { JsonScanner } from "./json-scanner.js";
import type { JsonScannerOptions, MarkVisitor } from "./json-visitor.js";

/** A member of an object. Offsets are of bytes, ends exclusive. */
export interface JsonMember {
  /** With its escapes resolved; `undefined` if it is longer than the scanner was told to read. */
  readonly key: string | undefined;
  /** The key as written, quotes included. */
  readonly keyStart: number;
  readonly keyEnd: number;
  /** The value. */
  readonly start: number;
  readonly end: number;
  readonly firstByte: number;
}

/** Gets the parts of the outermost array or object, each when its end has been reached. */
export interface JsonPartVisitor {
  /**
   * Also called for the whole, if that is a scalar. `partCount` is how many parts the element has, if
   * it is an array or object.
   */
  onElement?(start: number, end: number, firstByte: number, partCount: number): void;
  onMember?(member: JsonMember, partCount: number): void;
  /** See {@link JsonVisitor.onMembers}: all members, beside those that are told one by one. */
  onMembers?(keys: Uint8Array, places: Float64Array): void;
  /** It gets the keys that can be collected. */
  readonly marks?: MarkVisitor | undefined;
  /** A key that cannot, of an object whose keys are collected; the key as in {@link JsonMember}. */
  onKey?(depth: number, key: string | undefined, start: number, end: number): void;
}

export interface JsonPartScannerOptions extends JsonScannerOptions {
  /** Keys of more UTF-16 units are not read. Default 0. */
  readonly maxKeyUnits?: number | undefined;
}

/** The longest that one UTF-16 unit can be written: `\u0000`. */
const MAX_BYTES_PER_UNIT = 6;

/** A {@link JsonScanner} that also reads keys, wherever the pieces are cut. */
export class JsonPartScanner {
  readonly #scanner: JsonScanner;
  readonly #visitor: JsonPartVisitor;
  readonly #maxKeyUnits: number;
  #piece: Buffer = Buffer.alloc(0);
  #pieceStart = 0;
  /** What earlier pieces held of the key that the current piece goes on with. */
  #carry: Uint8Array[] = [];
  #key: string | undefined;
  #keyStart = 0;
  /** 0: no key is waiting for its value. */
  #keyEnd = 0;

  constructor(visitor: JsonPartVisitor, options: JsonPartScannerOptions = {}) {
    this.#visitor = visitor;
    this.#maxKeyUnits = options.maxKeyUnits ?? 0;
    const hasParts = visitor.onElement !== undefined || visitor.onMember !== undefined;
    this.#scanner = new JsonScanner(
      {
        onKey: (depth, start, end, isCollected) => {
          const key = this.#readKey(start, end);
          if (!isCollected) this.#visitor.onKey?.(depth, key, start, end);
          if (depth > 1) return;
          this.#key = key;
          this.#keyStart = start;
          this.#keyEnd = end;
        },
        ...(hasParts && {
          onValue: (start, end, firstByte, partCount) =>
            this.#report(start, end, firstByte, partCount),
        }),
        ...(visitor.onMembers && {
          onMembers: (keys, places) => visitor.onMembers?.(keys, places),
        }),
        marks: visitor.marks,
      },
      options,
    );
  }

  /** What has been found so far; to be read, not written to. */
  get scanner(): Pick<
    JsonScanner,
    | "done"
    | "failure"
    | "firstBytes"
    | "openKeyStart"
    | "openValueStart"
    | "partCount"
    | "position"
    | "rootType"
  > {
    return this.#scanner;
  }

  /** Takes the next piece. */
  write(piece: Uint8Array): void {
    this.#pieceStart = this.#scanner.position;
    this.#piece = asBuffer(piece);
    this.#scanner.write(piece);
    const keyStart = this.#scanner.openKeyStart;
    if (keyStart !== undefined && !this.#isTooLong(keyStart, this.#scanner.position)) {
      this.#carry.push(Buffer.from(piece.subarray(Math.max(0, keyStart - this.#pieceStart)))); // a copy
    }
  }

  /** Ends the input. `true` if all of it was exactly one JSON value. */
  end(): boolean {
    return this.#scanner.end();
  }

  /** See {@link JsonScanner.stop}. */
  stop(): void {
    this.#scanner.stop();
  }

  /** See {@link JsonScanner.leaveOutParts}. */
  leaveOutParts(): void {
    this.#scanner.leaveOutParts();
  }

  /** See {@link JsonScanner.leaveOutMembers}. */
  leaveOutMembers(): void {
    this.#scanner.leaveOutMembers();
  }

  /** See {@link JsonScanner.reportKeys}. */
  reportKeys(): void {
    this.#scanner.reportKeys();
  }

  /** See {@link JsonScanner.skipValue}. */
  skipValue(end: number): void {
    this.#scanner.skipValue(end);
  }

  #report(start: number, end: number, firstByte: number, partCount: number): void {
    if (this.#keyEnd === 0) {
      this.#visitor.onElement?.(start, end, firstByte, partCount);
      return;
    }
    const keyEnd = this.#keyEnd;
    this.#keyEnd = 0;
    const member: JsonMember = {
      key: this.#key,
      keyStart: this.#keyStart,
      keyEnd,
      start,
      end,
      firstByte,
    };
    this.#visitor.onMember?.(member, partCount);
  }

  #readKey(start: number, end: number): string | undefined {
    const carry = this.#carry;
    if (carry.length > 0) this.#carry = [];
    if (this.#isTooLong(start, end)) return undefined;
    const base = this.#pieceStart;
    const key =
      carry.length === 0
        ? decodeKey(this.#piece, start - base, end - base)
        : decodeKey(Buffer.concat([...carry, this.#piece.subarray(0, end - base)]), 0, end - start);
    return key.length > this.#maxKeyUnits ? undefined : key;
  }

  #isTooLong(start: number, end: number): boolean {
    return end - start > this.#maxKeyUnits * MAX_BYTES_PER_UNIT + 2;
  }
}

/** Reads the string literal `[start, end)`, which the scanner has found to be valid. */
function decodeKey(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString("utf8", start + 1, end - 1);
  return text.includes("\\") ? (JSON.parse(`"${text}"`) as string) : text;
}
