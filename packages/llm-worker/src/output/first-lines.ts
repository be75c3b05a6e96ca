import { ELLIPSIS } from "./cut.js";
import { boundaryAtOrBefore } from "./grapheme.js";
import { decodeHead, NEWLINE } from "./text-sample.js";

/** Lines of an output that its notice shows. */
export const MAX_FIRST_LINES = 10;
/** A longer line is cut, in UTF-16 units, the mark included. */
export const MAX_FIRST_LINE_UNITS = 1000;

/** Enough for a line of the longest characters, and for a cut to see that it breaks none. */
const KEPT_LINE_BYTES = 3 * (MAX_FIRST_LINE_UNITS + 512);

interface Line {
  readonly parts: Uint8Array[];
  keptBytes: number;
  byteCount: number;
}

/** Watches bytes go by, cut anywhere, and keeps the beginnings of the first lines. */
export class FirstLines {
  readonly #lines: Line[] = [];
  #isLineOpen = false;

  /** Takes the next bytes; keeps copies only. */
  add(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      if (!this.#isLineOpen) {
        if (this.#lines.length === MAX_FIRST_LINES) return;
        this.#lines.push({ parts: [], keptBytes: 0, byteCount: 0 });
      }
      const feed = chunk.indexOf(NEWLINE, at);
      this.#append(chunk.subarray(at, feed === -1 ? chunk.length : feed));
      this.#isLineOpen = feed === -1;
      at = feed === -1 ? chunk.length : feed + 1;
    }
  }

  /** The lines without their ends, each at most {@link MAX_FIRST_LINE_UNITS}; `…` marks a cut one. */
  get texts(): readonly string[] {
    return this.#lines.map(textOf);
  }

  #append(bytes: Uint8Array): void {
    const line = this.#lines.at(-1);
    if (line === undefined) return;
    line.byteCount += bytes.length;
    // Not `slice`, which of a Buffer is no copy.
    const kept = new Uint8Array(bytes.subarray(0, KEPT_LINE_BYTES - line.keptBytes));
    if (kept.length === 0) return;
    line.parts.push(kept);
    line.keptBytes += kept.length;
  }
}

function textOf({ parts, keptBytes, byteCount }: Line): string {
  const isWhole = keptBytes === byteCount;
  const text = decodeHead(Buffer.concat(parts), isWhole ? "whole" : "cut");
  const line = isWhole ? text.replace(/\r$/, "") : text;
  if (isWhole && line.length <= MAX_FIRST_LINE_UNITS) return line;
  return line.slice(0, boundaryAtOrBefore(line, MAX_FIRST_LINE_UNITS - 1)) + ELLIPSIS;
}
