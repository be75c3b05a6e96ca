import type { BlobReading } from "./blob-reading.js";
import type { Quote } from "./finding.js";
import type { Place } from "./place.js";
import type { Question } from "./question.js";
import { quoteStart } from "./quotes.js";
import type { BlobSummary } from "./read-results.js";
import type { Script } from "./script.js";
import { linesSelector, sliceSelector } from "./selectors.js";

const MAX_PLACE_LINES = 40;

/** Reads the place that the question names, such as "line 20" or "the last entry". */
export function* readPlace(reading: BlobReading, question: Question): Script<Quote | undefined> {
  const selector = question.place && placeSelector(reading.blob, question.place);
  if (selector === undefined) return undefined;
  const part = yield* reading.read(selector);
  if (part === undefined) return undefined;
  return { lines: quoteStart(part.payload, MAX_PLACE_LINES), place: selector };
}

function placeSelector(blob: BlobSummary, place: Place): string | undefined {
  const isArray = blob.kind === "json_array";
  const total = isArray ? blob.entryCount : blob.lineCount;
  if (total === undefined || (!isArray && blob.kind !== "text")) return undefined;
  const select = (first: number, last: number): string =>
    isArray ? sliceSelector(first - 1, last) : linesSelector(first, last);
  switch (place.type) {
    case "lines":
      return isArray ? undefined : select(place.first, place.last);
    case "nth":
      return select(place.position, place.position);
    case "start":
      return select(1, Math.min(place.count, total));
    case "end":
      return select(Math.max(1, total - place.count + 1), total);
  }
}
