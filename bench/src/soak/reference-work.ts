import { median } from "../harness/statistics.js";

const INTERVAL_MS = 250;

/** A document that takes about a millisecond to read and to write. */
const DOCUMENT = JSON.stringify(
  Array.from({ length: 1500 }, (_, i) => ({ id: i, name: `name ${i}`, tags: ["a", "b"] })),
);

/**
 * A fixed piece of work, done four times a second: what it costs tells how fast the machine is at that
 * time, as others share its cores and caches. Costs over it can be compared across a long run.
 */
export class ReferenceWork {
  readonly #timer: NodeJS.Timeout;
  #costsMs: number[] = [];

  constructor() {
    this.#timer = setInterval(() => this.#costsMs.push(costMs()), INTERVAL_MS);
  }

  /** Milliseconds of CPU since the last call: the median of one piece, and all of them together. */
  take(): { readonly medianMs: number; readonly totalMs: number } {
    const medianMs = median(this.#costsMs);
    const totalMs = this.#costsMs.reduce((sum, cost) => sum + cost, 0);
    this.#costsMs = [];
    return { medianMs, totalMs };
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

function costMs(): number {
  const before = process.cpuUsage();
  JSON.stringify(JSON.parse(DOCUMENT));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
