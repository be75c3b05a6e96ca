import type { BlockEvent, Event } from "../model/event.js";

/**
 * Stands between a scheme and the caller and keeps the promises of {@link Event}, whatever a server
 * sent or a scheme made of it: every started block is stopped or aborted exactly once, and nothing
 * follows an `error`.
 */
export class BlockGuard {
  readonly #open = new Set<number>();
  #hasContent = false;
  #isFinished = false;
  #hasFailed = false;

  /** Whether a block was handed on: from then on, trying again would show the same text twice. */
  get hasContent(): boolean {
    return this.#hasContent;
  }

  /** Whether the response came to its proper end. */
  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** Whether an `error` was handed on. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Hands on one event, with the aborts it makes necessary before it. */
  push(event: Event, out: Event[]): void {
    if (this.#hasFailed) return;
    switch (event.type) {
      case "block_start":
      case "block_delta":
      case "block_stop":
      case "block_abort":
        this.#pushBlock(event, out);
        return;
      case "error":
        this.abortOpen("the response failed", out);
        this.#hasFailed = true;
        break;
      case "status":
        if (event.status === "response_finished") {
          this.abortOpen("the response ended inside this block", out);
          this.#isFinished = true;
        }
        break;
      case "ping":
      case "usage":
        break;
    }
    out.push(event);
  }

  /** Ends every open block, in the order in which they began. */
  abortOpen(reason: string, out: Event[]): void {
    for (const index of this.#open) out.push({ type: "block_abort", index, reason });
    this.#open.clear();
  }

  #pushBlock(event: BlockEvent, out: Event[]): void {
    if (this.#isFinished) return;
    const { index } = event;
    if (event.type === "block_start") {
      if (this.#open.has(index)) {
        out.push({ type: "block_abort", index, reason: "another block began in its place" });
      }
      this.#hasContent = true;
      this.#open.add(index);
    } else if (!this.#open.has(index)) {
      return;
    } else if (event.type !== "block_delta") {
      this.#open.delete(index);
    }
    out.push(event);
  }
}
