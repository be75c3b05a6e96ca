import type { BlobReader } from "../blob/blob-store.js";
import { asBuffer } from "../blob/bytes.js";
import { lineRange } from "../blob/line-ranges.js";
import { TEXT_MEDIA_TYPE } from "../blob/media-type.js";
import { readPiece } from "../blob/read-pieces.js";
import type { FileRef } from "../model/item.js";
import type { FileBackend, FileStat } from "./file-backend.js";
import { ReadFileError } from "./read-file-error.js";
import { counted } from "./summary.js";
import { NEWLINE } from "./text-sample.js";

/** Finds places in one file, and remembers where it was, so that a walk reads each byte once. */
export class OffloadedFile {
  readonly byteCount: number;
  /** Unknown for a file that has been changed since it was written. */
  readonly lineCount: number | undefined;
  readonly #reader: BlobReader;
  /** The line that was last read in parts: where it begins, and how far it is known to reach. */
  #longLine = { start: 0, knownBytes: 0 };

  constructor(backend: FileBackend, { path, byteCount, lineCount }: FileRef, stat: FileStat) {
    this.byteCount = stat.byteCount;
    this.lineCount = stat.byteCount === byteCount ? lineCount : undefined;
    this.#reader = {
      stat: {
        kind: "text",
        mediaType: TEXT_MEDIA_TYPE,
        byteCount: this.byteCount,
        lineCount: this.lineCount,
      },
      read: (start, end) => backend.read(path, start, end),
      close: () => Promise.resolve(),
    };
  }

  /** At most as many bytes from `start` as asked for; fewer only at the end of the file. */
  async read(start: number, byteCount: number): Promise<Buffer> {
    return asBuffer(await this.#reader.read(start, Math.min(this.byteCount, start + byteCount)));
  }

  /**
   * The byte that lies `byteOffset` bytes into a line (counted from 0).
   *
   * @throws ReadFileError `out_of_range` if there is no such line, or if it is shorter
   */
  async find(line: number, byteOffset: number): Promise<number> {
    const { start, firstLine } = await lineRange(this.#reader, line, line);
    if (start >= this.byteCount && line > 0) {
      const lines = counted(firstLine, "line", "lines");
      throw new ReadFileError("out_of_range", `the file has ${lines}; offset counts them from 1`);
    }
    if (byteOffset > 0) await this.#checkReaches(start, byteOffset, line);
    return start + byteOffset;
  }

  /** A page has shown that the line which begins at `start` has at least so many bytes before its end. */
  noteLongLine(start: number, byteCount: number): void {
    if (this.#longLine.start !== start || this.#longLine.knownBytes < byteCount) {
      this.#longLine = { start, knownBytes: byteCount };
    }
  }

  async #checkReaches(start: number, byteOffset: number, line: number): Promise<void> {
    const known = this.#longLine.start === start ? this.#longLine.knownBytes : 0;
    const end = Math.min(this.byteCount, start + byteOffset);
    for (let at = start + known; at < end;) {
      const piece = asBuffer(await readPiece(this.#reader, at, end));
      const feed = piece.indexOf(NEWLINE);
      if (feed !== -1) throw shorterLine(line, at + feed + 1 - start);
      at += piece.length;
    }
    if (start + byteOffset >= this.byteCount) throw shorterLine(line, this.byteCount - start);
    this.noteLongLine(start, byteOffset);
  }
}

function shorterLine(line: number, byteCount: number): ReadFileError {
  const bytes = counted(byteCount, "byte", "bytes");
  return new ReadFileError(
    "out_of_range",
    `line ${String(line + 1)} has ${bytes}, its end included; byte_offset counts them from 0`,
  );
}
