import { type Event, type Provider, Worker } from "llm-worker";
import { expect, test } from "vitest";
import { EventClock } from "./event-clock.js";

test("the worker gets the same events, and what it does with one is timed", async () => {
  const answer: readonly Event[] = [
    { type: "block_start", index: 0, kind: "text" },
    { type: "block_delta", index: 0, text: "done" },
    { type: "block_stop", index: 0 },
    { type: "status", status: "response_finished", stop: { reason: "end", raw: "end" } },
  ];
  const provider: Provider = {
    name: "scripted",
    model: "scripted-1",
    async *stream() {
      yield await Promise.resolve(answer);
    },
  };
  const clock = new EventClock();
  const worker = new Worker({ provider: clock.watch(provider) });
  let busyUntil = 0;
  worker.onTextBlock(({ type }) => {
    if (type !== "delta") return;
    busyUntil = performance.now() + 2;
    while (performance.now() < busyUntil);
  });
  expect((await worker.run("go")).text).toBe("done");
  expect(clock.events).toBe(4);
  const times = clock.take();
  expect(times.count).toBe(4);
  expect(times.max).toBeGreaterThanOrEqual(2000);
  expect(clock.take().count).toBe(0);
});
