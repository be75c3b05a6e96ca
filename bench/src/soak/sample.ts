import type { EventTimes } from "./event-clock.js";

/** What happened since the sample before. */
export interface Sample {
  readonly seconds: number;
  /** User and system time of the process that the workers are in, the fixed work left out. */
  readonly cpuSeconds: number;
  /** CPU milliseconds that a fixed piece of work has cost meanwhile. */
  readonly referenceMs: number;
  readonly turns: number;
  readonly events: number;
  readonly conversations: number;
  readonly rssBytes: number;
  /** Right after a garbage collection. */
  readonly heapBytes: number;
  readonly externalBytes: number;
  readonly eventMicros: EventTimes;
}

/** What there is when all conversations have ended. */
export interface Rest {
  readonly failures: readonly string[];
  /** Handles, timers and files that are open and were not before, by kind. */
  readonly left: Readonly<Record<string, number>>;
  readonly blobFileCount: number;
}
