import { createHistogram } from "node:perf_hooks";
import type { Event, Provider } from "llm-worker";

/** Every how manieth batch of events is timed: enough of them, and the rest runs undisturbed. */
const SAMPLED_EVERY = 8;

/** Quantiles of the worker's own time for one event, in microseconds. */
export interface EventTimes {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly count: number;
}

/**
 * Times what a worker does with an event: from handing it over to being asked for the next one of
 * the same batch. That stretch is synchronous, so it holds the worker's code alone (both timelines,
 * watchers, callbacks) and whatever garbage collection falls into it, and no network and no tool.
 */
export class EventClock {
  readonly #histogram = createHistogram();
  #batches = 0;
  #events = 0;

  /** Events handed over so far, timed or not. */
  get events(): number {
    return this.#events;
  }

  /** The provider, whose events are timed when a worker takes them. */
  watch(provider: Provider): Provider {
    const timed = (batch: readonly Event[]): readonly Event[] => this.#timed(batch);
    return {
      name: provider.name,
      model: provider.model,
      async *stream(request, options) {
        for await (const batch of provider.stream(request, options)) yield timed(batch);
      },
    };
  }

  /** The quantiles since the last call. */
  take(): EventTimes {
    const histogram = this.#histogram;
    const micros = (nanos: number): number => nanos / 1000;
    const times = {
      p50: micros(histogram.percentile(50)),
      p99: micros(histogram.percentile(99)),
      max: micros(histogram.max),
      count: histogram.count,
    };
    histogram.reset();
    return times;
  }

  #timed(batch: readonly Event[]): readonly Event[] {
    this.#events += batch.length;
    if (this.#batches++ % SAMPLED_EVERY !== 0) return batch;
    const histogram = this.#histogram;
    return Object.defineProperty([...batch], Symbol.iterator, {
      *value(): Generator<Event, void, undefined> {
        for (const event of batch) {
          const startedAt = performance.now();
          yield event;
          histogram.record(Math.max(1, Math.round((performance.now() - startedAt) * 1e6)));
        }
      },
    });
  }
}
