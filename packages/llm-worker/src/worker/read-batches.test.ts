import { expect, onTestFinished, test, vi } from "vitest";
import type { Event } from "../model/event.js";
import { readBatches } from "./read-batches.js";

/** A provider's stream that goes on for ever, and tells when it is left. */
function endless(): {
  readonly events: AsyncIterable<readonly Event[]>;
  readonly left: () => void;
} {
  const left = vi.fn();
  async function* events(): AsyncGenerator<readonly Event[]> {
    try {
      for (;;) yield [{ type: "ping" }];
    } finally {
      left();
    }
  }
  return { events: events(), left };
}

test("a stream whose events can no longer be taken is left, which closes its connection", async () => {
  const { events, left } = endless();
  const full = new Error("no room");
  const { signal } = new AbortController();
  await expect(readBatches(events, signal, () => Promise.reject(full))).rejects.toBe(full);
  expect(left).toHaveBeenCalledOnce();
});

test("a stream that goes on after an abort is left once its time is over", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { events, left } = endless();
  const abort = new AbortController();
  abort.abort();
  let taken = 0;
  await readBatches(events, abort.signal, async () => {
    taken += 1;
    if (taken === 3) await vi.runAllTimersAsync();
  });
  expect(taken).toBe(3);
  expect(left).toHaveBeenCalledOnce();
});
