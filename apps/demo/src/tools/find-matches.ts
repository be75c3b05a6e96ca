/** A place where the text was found, with a little around it. */
export interface Match {
  /** 1-based. */
  readonly line: number;
  /** The line, or, of a long one, what is around the match, with `…` where it was cut. */
  readonly excerpt: string;
}

/** So much of a line is shown on each side of a match. */
const CONTEXT_BYTES = 240;
const NEWLINE = 0x0a;

/**
 * Finds a literal text in a stream of bytes. Memory is bounded whatever the length of the lines,
 * and matches across the pieces of the stream are found. What an excerpt shows already is not
 * reported again.
 */
export async function* findMatches(
  chunks: AsyncIterable<Uint8Array>,
  text: string,
): AsyncGenerator<Match> {
  const search = new WindowSearch(Buffer.from(text));
  for await (const chunk of chunks) yield* search.take(chunk);
  yield* search.end();
}

/** A search through a window that moves over the stream. */
class WindowSearch {
  readonly #wanted: Buffer;
  #window: Buffer = Buffer.alloc(0);
  /** The next match begins here or later. */
  #from = 0;
  /** Number of the line at `#counted`. */
  #line = 1;
  #counted = 0;
  /** The window begins inside a line. */
  #isLineCut = false;

  constructor(wanted: Buffer) {
    this.#wanted = wanted;
  }

  *take(chunk: Uint8Array): Generator<Match> {
    this.#window = Buffer.concat([this.#window, chunk]);
    const searchable = this.#window.length - this.#wanted.length - CONTEXT_BYTES;
    yield* this.#matches(searchable);
    this.#drop(searchable - CONTEXT_BYTES - 1);
  }

  *end(): Generator<Match> {
    yield* this.#matches(this.#window.length);
  }

  *#matches(until: number): Generator<Match> {
    for (;;) {
      const at = this.#window.indexOf(this.#wanted, this.#from);
      if (at === -1 || at >= until) break;
      this.#countLines(at);
      const { excerpt, end } = this.#excerpt(at);
      this.#from = end;
      yield { line: this.#line, excerpt };
    }
    this.#from = Math.max(this.#from, until);
  }

  /** Forgets the beginning of the window. */
  #drop(byteCount: number): void {
    if (byteCount <= 0) return;
    this.#countLines(byteCount);
    this.#isLineCut = this.#window[byteCount - 1] !== NEWLINE;
    this.#window = this.#window.subarray(byteCount);
    this.#from -= byteCount;
    this.#counted -= byteCount;
  }

  #countLines(end: number): void {
    if (end <= this.#counted) return;
    const passed = this.#window.subarray(this.#counted, end);
    let newline = passed.indexOf(NEWLINE);
    while (newline !== -1) {
      this.#line += 1;
      newline = passed.indexOf(NEWLINE, newline + 1);
    }
    this.#counted = end;
  }

  #excerpt(at: number): { readonly excerpt: string; readonly end: number } {
    const window = this.#window;
    const end = at + this.#wanted.length;
    const earliest = Math.max(0, at - CONTEXT_BYTES - 1);
    const before = window.subarray(earliest, at).lastIndexOf(NEWLINE);
    const latest = end + CONTEXT_BYTES + 1;
    const after = window.subarray(end, latest).indexOf(NEWLINE);

    const isCutBefore = before === -1 && (earliest > 0 || this.#isLineCut);
    const isCutAfter = after === -1 && latest <= window.length;
    const from = isCutBefore ? characterStart(window, earliest + 1) : earliest + before + 1;
    let to = window.length;
    if (after !== -1) to = end + after;
    else if (isCutAfter) to = Math.max(end, characterStart(window, latest - 1));
    const text = window.toString("utf8", from, to).replace(/\r$/u, "");
    return { excerpt: `${isCutBefore ? "…" : ""}${text}${isCutAfter ? "…" : ""}`, end: to };
  }
}

/** The nearest place at or before `index` where no UTF-8 character is cut in two. */
function characterStart(bytes: Buffer, index: number): number {
  let start = index;
  while (start > 0 && start > index - 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start;
}
