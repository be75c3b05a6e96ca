import { constants, isUtf8 } from "node:buffer";
import type { BlobStat } from "../blob/blob-store.js";
import { asBuffer } from "../blob/bytes.js";
import {
  type BinaryContent,
  type Content,
  type StructuredContent,
  structuredContent,
  type TextContent,
} from "../blob/content.js";
import { MAX_INVALID_SHARE } from "../blob/index-builder.js";
import {
  BINARY_MEDIA_TYPE,
  isTextMediaType,
  JSON_MEDIA_TYPE,
  TEXT_MEDIA_TYPE,
  UNKNOWN_TEXT_MEDIA_TYPE,
} from "../blob/media-type.js";
import { keepDescription, knownDescription } from "../blob/known-description.js";
import { NdjsonScanner } from "../blob/ndjson-scanner.js";
import { Utf8Scanner } from "../blob/utf8-scanner.js";
import { entriesWorthScanning, type JsonSample } from "./json-summary.js";
import { sniffMediaType } from "./sniff-media-type.js";
import { type ScannedJson, scanStoredJson, scanStoredJsonInTurns } from "./stored-json.js";
import {
  countNewlines,
  NEWLINE,
  sampleBytes,
  sampleText,
  sizesOf,
  type TextSample,
} from "./text-sample.js";
import { utf8Pieces } from "./utf8-pieces.js";

/** What a summary is made of: exact totals, and samples that are bounded whatever the size. */
export interface Overview {
  readonly stat: BlobStat;
  /** Both ends, for what is read as text. */
  readonly text?: TextSample | undefined;
  /** For arrays and objects. */
  readonly json?: JsonSample | undefined;
}

export interface Described {
  readonly content: Content;
  readonly overview: Overview;
}

/** Describes content as it is, for a summary of at most `maxBytes`. */
export function describeContent(content: Content, maxBytes: number): Overview {
  switch (content.type) {
    case "text":
      return describeAsText(content, maxBytes);
    case "structured":
      return describeStructured(content, maxBytes);
    case "binary":
      return describeBinary(content, maxBytes);
  }
}

/** Content as it is, with what there is to say of it: of text when it is asked for. */
export function describedContent(content: Content, maxBytes: number): Described {
  return content.type === "text"
    ? new DescribedText(content, maxBytes)
    : { content, overview: describeContent(content, maxBytes) };
}

/** Makes content of well-formed text: structured if it is a JSON array or object, else text. */
export function describeText(text: string, maxBytes: number): Described {
  return describeScanned(text, maxBytes, scanStoredJson(text, entriesWorthScanning(maxBytes)));
}

/** The same of a long text, without holding up the rest of the program. */
export async function describeLongText(text: string, maxBytes: number): Promise<Described> {
  const scanned = await scanStoredJsonInTurns(text, entriesWorthScanning(maxBytes));
  return describeScanned(text, maxBytes, scanned);
}

function describeScanned(
  text: string,
  maxBytes: number,
  scanned: ScannedJson | undefined,
): Described {
  if (scanned === undefined) return new DescribedText({ type: "text", text }, maxBytes);
  const content = structuredContent(text);
  return { content, overview: describeAsJson(content, scanned) };
}

/** Text that is looked at when its overview is asked for: a store may be at work meanwhile. */
class DescribedText implements Described {
  readonly content: TextContent;
  readonly #maxBytes: number;
  #overview: Overview | undefined;

  constructor(content: TextContent, maxBytes: number) {
    this.content = content;
    this.#maxBytes = maxBytes;
  }

  get overview(): Overview {
    return (this.#overview ??= describeAsText(this.content, this.#maxBytes));
  }
}

/**
 * Makes content of bytes: as text if they are valid UTF-8 without NUL; else binary, of the
 * type that they begin with, or, mostly valid and without NUL, as text of unknown encoding: such
 * bytes are read by lines and stay exact.
 */
export function describeBytes(bytes: Uint8Array, maxBytes: number): Described {
  const isText = !asBuffer(bytes).includes(0);
  const isValid = isText && isUtf8(bytes);
  if (isValid && bytes.length <= constants.MAX_STRING_LENGTH) {
    return describeText(decode(bytes), maxBytes);
  }
  const unknownType = isText && isMostlyUtf8(bytes) ? UNKNOWN_TEXT_MEDIA_TYPE : BINARY_MEDIA_TYPE;
  const mediaType = isValid ? TEXT_MEDIA_TYPE : (sniffMediaType(bytes) ?? unknownType);
  const content: BinaryContent = { type: "binary", bytes, mediaType };
  return { content, overview: describeBinary(content, maxBytes) };
}

/** Whether bytes can be shown as text without losing any. */
export function isPlainText(bytes: Uint8Array): boolean {
  return !asBuffer(bytes).includes(0) && isUtf8(bytes);
}

/** Decodes valid UTF-8, a byte order mark included. */
export function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** A store that has scanned the content already knows its sizes. */
function describeAsText(content: TextContent, maxBytes: number): Overview {
  const { text } = content;
  const stat = knownDescription(content)?.stat ?? {
    kind: "text",
    ...sizesOf(text),
    mediaType: TEXT_MEDIA_TYPE,
    ...ndjsonFacts(text),
  };
  return { stat, text: sampleText(text, maxBytes) };
}

/** As stores describe it. What does not begin with a JSON array or object costs nothing. */
function ndjsonFacts(text: string): Pick<BlobStat, "entryCount"> {
  if (!/^\s*[[{]/.test(text)) return {};
  const scanner = new NdjsonScanner();
  for (const { bytes } of utf8Pieces(text)) {
    scanner.write(bytes);
    if (scanner.hasFailed) return {};
  }
  const entryCount = scanner.end();
  return entryCount === undefined ? {} : { entryCount };
}

/** Also keeps for the store what was found. */
function describeAsJson(content: StructuredContent, { scan, description }: ScannedJson): Overview {
  keepDescription(content, description);
  return { stat: description.stat, json: { raw: content.raw, scan } };
}

/** As stores do, what claims to be JSON and is not is described as text. */
function describeStructured(content: StructuredContent, maxBytes: number): Overview {
  const { raw } = content;
  const scanned = scanStoredJson(raw, entriesWorthScanning(maxBytes));
  if (scanned !== undefined) return describeAsJson(content, scanned);
  const overview = describeAsText({ type: "text", text: raw }, maxBytes);
  if (!isJson(raw)) return overview;
  const { byteCount } = overview.stat;
  return { ...overview, stat: { kind: "json_value", byteCount, mediaType: JSON_MEDIA_TYPE } };
}

function isJson(raw: string): boolean {
  try {
    JSON.parse(raw);
    return true;
  } catch {
    return false;
  }
}

function describeBinary({ bytes, mediaType }: BinaryContent, maxBytes: number): Overview {
  const byteCount = bytes.length;
  if (!isTextMediaType(mediaType)) return { stat: { kind: "binary", byteCount, mediaType } };
  const newlines = countNewlines(bytes);
  return {
    stat: {
      kind: "text",
      byteCount,
      mediaType,
      lineCount: byteCount === 0 || bytes.at(-1) === NEWLINE ? newlines : newlines + 1,
      ...(isUtf8(bytes) ? {} : { validUtf8: false }),
    },
    text: sampleBytes(bytes, maxBytes),
  };
}

function isMostlyUtf8(bytes: Uint8Array): boolean {
  const scanner = new Utf8Scanner();
  scanner.write(bytes);
  scanner.end();
  return scanner.invalidByteCount <= bytes.length * MAX_INVALID_SHARE;
}
