import type { LogPosition, SessionStore } from "./session-store.js";

/** Appends to one log, one append at a time; what is added meanwhile goes out together. */
export class LogWriter {
  readonly #store: SessionStore;
  readonly #sessionId: string;
  #position: LogPosition;
  #added: Uint8Array[] = [];
  #last: Promise<void> = Promise.resolve();

  constructor(store: SessionStore, sessionId: string, position: LogPosition) {
    this.#store = store;
    this.#sessionId = sessionId;
    this.#position = position;
  }

  /** Takes lines for the next append. */
  add(lines: Uint8Array): void {
    this.#added.push(lines);
  }

  /**
   * Resolves when everything that was added is in the log. Lines of an append that failed are kept for
   * the next: once there is space again, or a connection, the log goes on without a gap.
   */
  flush(): Promise<void> {
    const flushed = this.#last.then(() => this.#append());
    this.#last = flushed.catch(() => undefined);
    return flushed;
  }

  async #append(): Promise<void> {
    const lines = this.#added;
    if (lines.length === 0) return;
    this.#added = [];
    try {
      const bytes = Buffer.concat(lines);
      this.#position = await this.#store.append(this.#sessionId, this.#position, bytes);
    } catch (error) {
      this.#added = [...lines, ...this.#added];
      throw error;
    }
  }
}
