import type { RunEvent } from "llm-worker";
import type { SessionStore } from "./session-store.js";

/** So much is kept in memory between two writes. */
const MAX_BUFFERED_BYTES = 64 * 1024;

/** Writes the events of a worker's runs beside its log, as they are, one JSON object a line. */
export class TraceWriter {
  readonly #store: SessionStore;
  readonly #sessionId: string;
  readonly #onFailure: ((error: unknown) => void) | undefined;
  #lines: string[] = [];
  #byteCount = 0;
  #last: Promise<void> = Promise.resolve();
  #hasFailed = false;

  constructor(
    store: SessionStore,
    sessionId: string,
    onFailure: ((error: unknown) => void) | undefined,
  ) {
    this.#store = store;
    this.#sessionId = sessionId;
    this.#onFailure = onFailure;
  }

  add(event: RunEvent): void {
    if (this.#hasFailed) return;
    const line = `${JSON.stringify({ atMs: Date.now(), ...event }, withErrors)}\n`;
    this.#lines.push(line);
    this.#byteCount += line.length;
    if (this.#byteCount >= MAX_BUFFERED_BYTES) this.flushSoon();
  }

  /** Writes beside the work. */
  flushSoon(): void {
    void this.flush();
  }

  /** Resolves when everything that was added is written, or has failed. */
  flush(): Promise<void> {
    this.#last = this.#last.then(() => this.#write());
    return this.#last;
  }

  async #write(): Promise<void> {
    if (this.#lines.length === 0 || this.#hasFailed) return;
    const bytes = Buffer.from(this.#lines.join(""));
    this.#lines = [];
    this.#byteCount = 0;
    try {
      if (this.#store.appendTrace === undefined) {
        throw new TypeError("this store keeps no traces: it has no appendTrace()");
      }
      await this.#store.appendTrace(this.#sessionId, bytes);
    } catch (error) {
      this.#hasFailed = true;
      this.#onFailure?.(error);
    }
  }
}

/** Errors have nothing that JSON would show. */
function withErrors(_key: string, value: unknown): unknown {
  return value instanceof Error ? { name: value.name, message: value.message } : value;
}
