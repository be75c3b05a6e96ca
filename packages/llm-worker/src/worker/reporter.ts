import type { Event } from "../model/event.js";
import { isPromiseLike } from "../promise-like.js";
import { Timeline } from "../timeline/timeline.js";
import type { RunEvent } from "./run-event.js";

/**
 * Tells everybody what a run reports: handlers by kind, watchers of everything, and whoever reads
 * the run as a stream. One that throws is reported as `subscriber_failed` and never breaks the run;
 * an async one is not waited for, and is reported with the next event after it has failed.
 */
export class Reporter {
  readonly timeline: Timeline;
  readonly #watchers = new Set<(event: RunEvent) => void>();
  #failures: unknown[] = [];

  constructor() {
    this.timeline = new Timeline({ onHandlerError: (error) => this.#failures.push(error) });
  }

  /** Returns the removal. */
  onEvent(watch: (event: RunEvent) => void): () => void {
    this.#watchers.add(watch);
    return () => this.#watchers.delete(watch);
  }

  /** The same closure, as one that never rejects unheard: that would end the process. */
  heard<Facts extends readonly unknown[]>(
    watch: (...facts: Facts) => unknown,
  ): (...facts: Facts) => void {
    return (...facts) => {
      const made = watch(...facts);
      if (isPromiseLike(made)) made.then(undefined, (error) => this.#failures.push(error));
    };
  }

  /** @param toStream takes the event to the reader of the run's stream, if it has one */
  emit(event: RunEvent, toStream: ((event: RunEvent) => void) | undefined): void {
    if (isModelEvent(event)) this.timeline.dispatch(event);
    for (const watch of this.#watchers) {
      try {
        const made: unknown = watch(event);
        if (isPromiseLike(made)) made.then(undefined, (error) => this.#failLate(error, event));
      } catch (thrown) {
        this.#failures.push(thrown);
      }
    }
    toStream?.(event);
    if (this.#failures.length === 0) return;
    const failures = this.#failures;
    this.#failures = [];
    // Reported once: a watcher that fails on the report of its own failure is not told again.
    if (event.type === "subscriber_failed") return;
    for (const error of failures) this.emit({ type: "subscriber_failed", error }, toStream);
  }

  #failLate(error: unknown, event: RunEvent): void {
    // As above.
    if (event.type !== "subscriber_failed") this.#failures.push(error);
  }
}

function isModelEvent(event: RunEvent): event is Event {
  switch (event.type) {
    case "ping":
    case "usage":
    case "status":
    case "error":
    case "block_start":
    case "block_delta":
    case "block_stop":
    case "block_abort":
      return true;
    default:
      return false;
  }
}
