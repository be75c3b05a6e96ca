import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { FsBlobStore, FsSessionStore } from "llm-worker-persistence";
import { spawnScriptedModel } from "scripted-model";
import { serveCalls } from "../harness/child.js";
import { converse } from "./converse.js";
import { EventClock } from "./event-clock.js";
import { ReferenceWork } from "./reference-work.js";
import type { Rest, Sample } from "./sample.js";
import { createProviders } from "./wires.js";

/** Both sides close an idle connection after a few seconds; then nothing may be left. */
const SETTLE_MS = 15_000;

interface Soak {
  takeSample(): Sample;
  stop(): Promise<Rest>;
}

async function startSoak(workerCount: number): Promise<Soak> {
  // Opened at its first use only, by whoever starts the model: it is no leftover.
  void process.stderr;
  const resourcesBefore = countResources();
  const directory = await mkdtemp(join(tmpdir(), "llm-worker-soak-"));
  const model = await spawnScriptedModel();
  const clock = new EventClock();
  const reference = new ReferenceWork();
  const shutdown = new AbortController();
  const store = new FsBlobStore(directory, { durability: "none" });
  let turns = 0;
  const surroundings = {
    providers: createProviders(model.url).map((provider) => clock.watch(provider)),
    store,
    sessions: new FsSessionStore(directory, { durability: "none" }),
    shutdown: shutdown.signal,
    onTurn: () => void (turns += 1),
  };
  const failures: string[] = [];
  let conversations = 0;
  let isStopping = false;
  const slots = Array.from({ length: workerCount }, async (_, slot) => {
    for (let number = slot; !isStopping; number += workerCount) {
      try {
        failures.push(...(await converse(number, surroundings)));
      } catch (error) {
        failures.push(String(error));
      }
      conversations += 1;
    }
  });
  let startedAt = performance.now();
  let cpuBefore = process.cpuUsage();
  let before = { turns: 0, events: 0, conversations: 0 };

  return {
    takeSample() {
      const seconds = (performance.now() - startedAt) / 1000;
      const cpu = process.cpuUsage(cpuBefore);
      const now = { turns, events: clock.events, conversations };
      const eventMicros = clock.take();
      const { medianMs, totalMs } = reference.take();
      const rssBytes = process.memoryUsage.rss();
      globalThis.gc?.();
      const { heapUsed, external } = process.memoryUsage();
      const sample = {
        seconds,
        cpuSeconds: (cpu.user + cpu.system) / 1e6 - totalMs / 1000,
        referenceMs: medianMs,
        turns: now.turns - before.turns,
        events: now.events - before.events,
        conversations: now.conversations - before.conversations,
        rssBytes,
        heapBytes: heapUsed,
        externalBytes: external,
        eventMicros,
      };
      before = now;
      startedAt = performance.now();
      cpuBefore = process.cpuUsage();
      return sample;
    },
    async stop() {
      isStopping = true;
      reference.stop();
      shutdown.abort(new Error("the soak is over"));
      await Promise.all(slots);
      const blobFiles = readdirSync(directory, { recursive: true, withFileTypes: true });
      await model.close();
      await rm(directory, { recursive: true });
      const left = await settle(resourcesBefore);
      return { failures, left, blobFileCount: blobFiles.filter((entry) => entry.isFile()).length };
    },
  };
}

/** What is open besides what was open before, when nothing more is being closed. */
async function settle(before: ReadonlyMap<string, number>): Promise<Record<string, number>> {
  const giveUpAt = performance.now() + SETTLE_MS;
  for (;;) {
    await delay(100);
    const left = [...countResources()].flatMap(([name, count]): [string, number][] => {
      const more = count - (before.get(name) ?? 0);
      return more > 0 ? [[name, more]] : [];
    });
    if (left.length === 0 || performance.now() > giveUpAt) return Object.fromEntries(left);
  }
}

/** Open handles, requests and timers by kind, and open files. */
function countResources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo()) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  if (process.platform === "linux") counts.set("open files", readdirSync("/proc/self/fd").length);
  return counts;
}

let soak: Soak | undefined;

function running(): Soak {
  if (soak === undefined) throw new Error("no soak was started");
  return soak;
}

serveCalls({
  start: async ({ workerCount }: { readonly workerCount: number }) => {
    soak = await startSoak(workerCount);
  },
  sample: () => running().takeSample(),
  stop: () => running().stop(),
});
