import { CorruptIndexError } from "../blob/blob-error.js";
import { openBlobReader } from "../blob/blob-reader.js";
import { blobStoreErrorCode, type BlobReader, type BlobStoreLike } from "../blob/blob-store.js";
import { isUsableId } from "../blob/usable-id.js";
import { OutputLimitsError } from "../errors.js";
import {
  type BlobAnswer,
  DEFAULT_MAX_ANSWER_BYTES,
  errorAnswer,
  MIN_ANSWER_BYTES,
  type Part,
  partAnswer,
  partLimits,
  type PartLimits,
  repeatedBytes,
  shorten,
} from "./answer.js";
import { entriesPart } from "./entries.js";
import { findPart } from "./find.js";
import { InspectError } from "./inspect-error.js";
import { showPart } from "./part.js";
import { resolveSelector, type Target } from "./resolve.js";
import { parseSelector, type Selector, SelectorError } from "./selector.js";
import { describeView, type View } from "./view.js";
import { createWindowReader } from "./window-reader.js";

/** How {@link readBlob} answers. */
export interface ReadBlobOptions {
  /** Default 16,384; at least 1024. */
  readonly maxAnswerBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads a part of a blob, as `inspect` answers it.
 *
 * Without a selector it shows the blob from its beginning. While an answer has `next`, that is the
 * selector for what follows; from the first answer to the last, the payloads are the blob, byte for
 * byte. Never rejects for what the store or the selector does: such answers have `isError`.
 *
 * @throws OutputLimitsError if `maxAnswerBytes` is less than 1024
 */
export async function readBlob(
  store: BlobStoreLike,
  id: string,
  selector = "",
  options: ReadBlobOptions = {},
): Promise<BlobAnswer> {
  const { signal } = options;
  const maxAnswerBytes = checkMaxAnswerBytes(options.maxAnswerBytes);
  const question: Question = { store, id, selector, maxAnswerBytes, signal };
  try {
    checkId(id);
    try {
      return await openAndAnswer(question);
    } catch (error) {
      if (!(error instanceof CorruptIndexError)) throw error;
      // Opened again, the store makes the index anew.
      return await openAndAnswer(question);
    }
  } catch (error) {
    return errorAnswer(toInspectError(error, id, signal), maxAnswerBytes);
  }
}

interface Question {
  readonly store: BlobStoreLike;
  readonly id: string;
  readonly selector: string;
  readonly maxAnswerBytes: number;
  readonly signal: AbortSignal | undefined;
}

async function openAndAnswer(question: Question): Promise<BlobAnswer> {
  const { store, id, selector, maxAnswerBytes, signal } = question;
  signal?.throwIfAborted();
  const reader = createWindowReader(await openBlobReader(store, id));
  try {
    return await answer(reader, id, selector, maxAnswerBytes, signal);
  } finally {
    // What was read is what counts; a reader that cannot be closed changes nothing about it.
    await reader.close().catch(() => undefined);
  }
}

/** @throws OutputLimitsError if an answer could not be told in so few bytes */
export function checkMaxAnswerBytes(maxAnswerBytes: number = DEFAULT_MAX_ANSWER_BYTES): number {
  if (maxAnswerBytes >= MIN_ANSWER_BYTES && Number.isFinite(maxAnswerBytes)) {
    return Math.floor(maxAnswerBytes);
  }
  throw new OutputLimitsError(
    `maxAnswerBytes is ${maxAnswerBytes}: use a number of at least ${MIN_ANSWER_BYTES}`,
  );
}

async function answer(
  reader: BlobReader,
  id: string,
  selectorText: string,
  maxAnswerBytes: number,
  signal: AbortSignal | undefined,
): Promise<BlobAnswer> {
  const blob: View = { kind: reader.stat.kind, reader, path: [] };
  const selector = parseFor(blob, selectorText, maxAnswerBytes);
  const limits = partLimits(id, selector, maxAnswerBytes);
  const target = await resolveSelector(blob, selector);
  const part = await readTarget(target, limits, signal);
  return partAnswer(id, part);
}

function readTarget(
  target: Target,
  limits: PartLimits,
  signal: AbortSignal | undefined,
): Promise<Part> {
  switch (target.type) {
    case "scope":
      return showPart(target.view, target.scope, limits);
    case "entries":
      return entriesPart(target.view, target.step, limits);
    case "find":
      return findPart(target.view, target.scope, target.text, limits, signal);
  }
}

/** Of an answer, `next:` repeats at most this share, so that there is room for the rest. */
const REPEATED_SHARE = 1 / 4;
/** What is only looked at may be longer. */
const SELECTOR_SHARE = 1 / 2;

function parseFor(blob: View, text: string, maxAnswerBytes: number): Selector {
  if (Buffer.byteLength(text) > maxAnswerBytes * SELECTOR_SHARE) throw tooLong(blob);
  let selector: Selector;
  try {
    selector = parseSelector(text);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    const message = `${error.message}\n${pointAt(text, error.position)}\n${describeView(blob)}`;
    throw new InspectError("bad_selector", message, { cause: error });
  }
  if (repeatedBytes(selector) > maxAnswerBytes * REPEATED_SHARE) throw tooLong(blob);
  return selector;
}

function tooLong(blob: View): InspectError {
  const message = "the selector is too long to be repeated in answers; look for a shorter text";
  return new InspectError("bad_selector", `${message}\n${describeView(blob)}`);
}

/** Shown of a selector on each side of what is wrong. */
const POINTER_CONTEXT = 40;

function pointAt(text: string, position: number): string {
  const start = Math.max(0, position - POINTER_CONTEXT);
  const shown = text.slice(start, position + POINTER_CONTEXT).replaceAll(/\p{Cc}/gu, " ");
  return `  ${shown.toWellFormed()}\n  ${" ".repeat(position - start)}^`;
}

function checkId(id: string): void {
  if (isUsableId(id)) return;
  throw new InspectError("not_found", notFoundMessage(id));
}

function toInspectError(error: unknown, id: string, signal: AbortSignal | undefined): InspectError {
  if (error instanceof InspectError) return error;
  if (signal?.aborted === true) {
    return new InspectError("aborted", "the call was aborted", { cause: error });
  }
  const options = { cause: error };
  const code = blobStoreErrorCode(error);
  switch (code) {
    case "not_found":
    case "invalid_id":
      return new InspectError("not_found", notFoundMessage(id), options);
    case "corrupt":
      return new InspectError(
        "corrupt",
        `blob ${quoteId(id)} is damaged in the store; read what is left with bytes:, or run the tool that made it again`,
        options,
      );
    case "forbidden":
      return new InspectError(
        "unavailable",
        "the store refuses access to this blob; trying again will not help, run the tool that made it again",
        options,
      );
    case "unavailable":
    case "no_space":
      return new InspectError(
        "unavailable",
        "the store cannot be reached right now; the blob may still be there, try again",
        options,
      );
  }
}

function notFoundMessage(id: string): string {
  return (
    `blob ${quoteId(id)} no longer exists, or never did; ` +
    "use an id from a [blob:...] line, or run the tool that made it again"
  );
}

function quoteId(id: string): string {
  return JSON.stringify(shorten(id.toWellFormed(), 60));
}
