import { asBuffer } from "./bytes.js";
import { LINE_FEED } from "./json-bytes.js";
import { SparseOffsets } from "./sparse-offsets.js";

/**
 * Counts lines as an editor shows them, in pieces cut anywhere: `\n` and `\r\n` end a line, a lone
 * `\r` does not, a final line end opens no new line. Keeps where every so many lines begin.
 */
export class LineScanner {
  readonly starts: SparseOffsets = new SparseOffsets();
  #base = 0;
  /** The next byte, if there is one, begins a line. */
  #atLineStart = true;

  get lineCount(): number {
    return this.starts.count;
  }

  /** @param text what the piece is the UTF-8 of, if that is at hand */
  write(piece: Uint8Array, text?: string): void {
    if (piece.length === 0) return;
    if (this.#atLineStart) this.starts.add(this.#base);
    // All is ASCII then. A string is searched in a half to a tenth of the time.
    const isAscii = text?.length === piece.length;
    this.#atLineStart = isAscii ? this.#addFromText(text) : this.#addFromBytes(piece);
    this.#base += piece.length;
  }

  /** Adds all but the first line. @returns whether the last one ends */
  #addFromText(text: string): boolean {
    const last = text.length - 1;
    let at = text.indexOf("\n");
    while (at !== -1 && at < last) {
      this.starts.add(this.#base + at + 1);
      at = text.indexOf("\n", at + 1);
    }
    return at === last;
  }

  #addFromBytes(piece: Uint8Array): boolean {
    // Buffer's indexOf is several times as fast as that of Uint8Array.
    const bytes = asBuffer(piece);
    const last = bytes.length - 1;
    let at = bytes.indexOf(LINE_FEED);
    while (at !== -1 && at < last) {
      this.starts.add(this.#base + at + 1);
      at = bytes.indexOf(LINE_FEED, at + 1);
    }
    return at === last;
  }
}
