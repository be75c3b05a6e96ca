import { setImmediate } from "node:timers/promises";
import type { BlobDescription } from "../blob/index-codec.js";
import { BlobIndexBuilder } from "../blob/index-builder.js";
import { jsonTypeOf } from "../blob/json-bytes.js";
import type { JsonPartListener } from "../blob/json-indexer.js";
import type { JsonMember } from "../blob/json-part-scanner.js";
import { endsAsItBegins, type JsonEntry, type JsonScan } from "./json-scan.js";
import { unescapedUnits } from "./json-token.js";
import { Utf16Places } from "./utf16-places.js";
import { utf8Pieces } from "./utf8-pieces.js";

/** A JSON text: what its summary needs, and how a store describes it. */
export interface ScannedJson {
  readonly scan: JsonScan;
  readonly description: BlobDescription;
}

/**
 * Reads a JSON array or object once, for its summary and for the store: what `scanJson` says of the
 * whole text, and what a `BlobIndexBuilder` says of its bytes.
 *
 * @returns `undefined` if the text is not one JSON array or object
 */
export function scanStoredJson(text: string, maxEntries: number): ScannedJson | undefined {
  const steps = scanByPieces(text, maxEntries);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** About a million characters: a few ms. */
const PIECES_AT_ONCE = 16;

/** The same of a long text, with a turn for all else that waits now and then. */
export async function scanStoredJsonInTurns(
  text: string,
  maxEntries: number,
): Promise<ScannedJson | undefined> {
  const steps = scanByPieces(text, maxEntries);
  for (let count = 1; ; count++) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (count % PIECES_AT_ONCE === 0) await setImmediate();
  }
}

function* scanByPieces(
  text: string,
  maxEntries: number,
): Generator<void, ScannedJson | undefined, undefined> {
  if (!endsAsItBegins(text)) return undefined;
  const outline = new Outline(maxEntries);
  const builder = new BlobIndexBuilder({ kind: "structured" }, outline);
  const places = new Utf16Places(text);
  for (const { start, bytes } of utf8Pieces(text)) {
    builder.write(bytes);
    if (!builder.mayBeJson) return undefined;
    places.addPiece(start, bytes.length);
    yield;
  }
  const description = builder.finish();
  const { kind, entryCount, keyCount } = description.stat;
  if (kind !== "json_array" && kind !== "json_object") return undefined;
  const scan: JsonScan = {
    root: kind === "json_array" ? "array" : "object",
    count: entryCount ?? keyCount ?? 0,
    entries: outline.parts.map((part) => entryOf(text, part, places)),
    types: builder.partTypes,
    isComplete: true,
  };
  return { scan, description };
}

/** Offsets are of bytes. */
interface Part extends Pick<JsonMember, "start" | "end" | "firstByte"> {
  readonly member?: JsonMember | undefined;
  readonly partCount: number;
}

/** Keeps the first parts of the outermost array or object. */
class Outline implements JsonPartListener {
  readonly maxParts: number;
  readonly parts: Part[] = [];

  constructor(maxParts: number) {
    this.maxParts = maxParts;
  }

  onElement(start: number, end: number, firstByte: number, partCount: number): void {
    this.parts.push({ start, end, firstByte, partCount });
  }

  onMember(member: JsonMember, partCount: number): void {
    const { start, end, firstByte } = member;
    this.parts.push({ start, end, firstByte, partCount, member });
  }
}

function entryOf(text: string, part: Part, places: Utf16Places): JsonEntry {
  const { member, firstByte, partCount } = part;
  const name = member && text.slice(places.at(member.keyStart), places.at(member.keyEnd));
  const key = name === undefined ? undefined : (JSON.parse(name) as string); // a string literal
  const start = places.at(part.start);
  const end = places.at(part.end);
  const type = jsonTypeOf(firstByte) ?? "null"; // of a value that was found to be JSON
  let size: number | undefined;
  if (type === "array" || type === "object") size = partCount;
  if (type === "string") size = unescapedUnits(text, start + 1, end - 1);
  return { key, type, start, end, size, isComplete: true };
}
