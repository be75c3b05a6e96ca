import { afterEach, expect, test, vi } from "vitest";
import * as z from "zod";
import { HttpProvider } from "../src/client/http-provider.js";
import { userMessage } from "../src/model/item.js";
import { MemoryFileBackend } from "../src/output/memory-file-backend.js";
import { offloadToFile } from "../src/output/offload-to-file.js";
import { defineTool } from "../src/tool/tool.js";
import { Worker } from "../src/worker/worker.js";
import { EventScheme } from "./client/event-scheme.js";
import { answer, Loopback } from "./client/loopback.js";
import { FaultyStore, FaultyStreamStore } from "./support/faulty-store.js";
import { calls, says, ScriptedProvider } from "./support/scripted-provider.js";

const LONGEST_TIMER_MS = 2 ** 31 - 1;

const clock = vi.spyOn(globalThis, "setTimeout");
afterEach(() => clock.mockClear());

/** The longest of the timers that were started; Node fires those that are too long at once. */
function longestMs(): number {
  return Math.max(...clock.mock.calls.map(([, ms]) => ms ?? 0));
}

test.each([Infinity, 60 * 24 * 3600 * 1000])(
  "a limit of %d ms on runs, hooks, tools and the store is not met at once",
  async (limitMs) => {
    const slow = defineTool({
      name: "slow",
      description: "Takes a while.",
      input: z.object({}),
      execute: async () => "line\n".repeat(1000),
    });
    const provider = new ScriptedProvider(calls({ name: "slow" }), says("ok"));
    const worker = new Worker({
      provider,
      store: new FaultyStore(),
      tools: [slow],
      toolServer: { timeoutMs: limitMs },
      limits: { maxWallTimeMs: limitMs },
      hookTimeoutMs: limitMs,
      output: { storeTimeoutMs: Number.MAX_SAFE_INTEGER },
    });
    worker.hook("onTurnStart", async () => undefined);
    expect(await worker.run("go")).toMatchObject({ status: "finished" });
    expect(clock.mock.calls.length).toBeGreaterThan(4);
    expect(longestMs()).toBe(LONGEST_TIMER_MS);
  },
);

test.each([
  ["lazyLoad", 5000, { store: new FaultyStreamStore() }],
  ["lazyLoad, with nothing stored", 1, { store: new FaultyStreamStore() }],
  ["summaryAndContent", 5000, {}],
  ["offloadToFile", 50_000, { policy: offloadToFile({ backend: new MemoryFileBackend() }) }],
] as const)(
  "a tool whose time is up while it streams says so beside what it gave (%s)",
  async (_name, count, deps) => {
    const stuck = defineTool({
      name: "stuck",
      description: "Never ends.",
      input: z.object({}),
      timeoutMs: 30,
      async *execute() {
        yield "line\n".repeat(count);
        await new Promise(() => {});
      },
    });
    const provider = new ScriptedProvider(calls({ name: "stuck" }), says("ok"));
    const worker = new Worker({ provider, tools: [stuck], ...deps });
    await worker.run("go");
    const result = worker.items[2];
    const read = `${count * 5} bytes`;
    expect(result).toMatchObject({
      isError: true,
      summary: expect.stringContaining(
        `incomplete: the tool failed after ${read}: tool stuck took longer than its limit of 30 ms`,
      ),
    });
  },
);

test("nor are such limits on a request", async () => {
  const server = await Loopback.start(answer(200, { "content-type": "application/json" }, "[]"));
  const timeouts = { connectMs: Infinity, firstByteMs: Infinity, idleMs: Infinity };
  const provider = new HttpProvider({ scheme: new EventScheme(), baseUrl: server.url, timeouts });
  for await (const events of provider.stream({ tools: [], items: [userMessage("hello")] })) {
    expect(events).toEqual([]);
  }
  expect(server.requests).toHaveLength(1);
  expect(longestMs()).toBe(LONGEST_TIMER_MS);
  await server.stop();
});
