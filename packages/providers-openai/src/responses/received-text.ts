import { GrowingText } from "llm-worker";

/** Text as it has come. */
export class ReceivedText {
  readonly #text = new GrowingText();
  #length = 0;

  add(piece: string): void {
    this.#text.add(piece);
    this.#length += piece.length;
  }

  /** What the whole has more than came; `undefined` where the two do not fit, as after a lost piece. */
  missingEnd(whole: string): string | undefined {
    // Nearly always all has come: then the pieces need not be joined to see it.
    if (whole === "" || whole.length === this.#length) return "";
    const received = this.toString();
    return whole.startsWith(received) ? whole.slice(received.length) : undefined;
  }

  toString(): string {
    return this.#text.toString();
  }
}
