import { setTimeout as delay } from "node:timers/promises";
import { builtScript } from "../harness/built-script.js";
import { callOnce, startChild } from "../harness/child.js";
import type { Findings, Measure, RunOptions } from "../harness/measure.js";
import { conversationCases, type Load } from "./beside-rivals.js";
import type { PromiseCounts } from "./promise-count-child.js";
import { findingsOf, formatSamples } from "./report.js";
import type { Rest, Sample } from "./sample.js";

interface Extent {
  readonly workerCount: number;
  readonly sampleSeconds: number;
  readonly sampleCount: number;
  readonly besideRivals: Load;
}

const FULL: Extent = {
  workerCount: 200,
  sampleSeconds: 30,
  sampleCount: 20,
  besideRivals: { count: 24, concurrency: 12, rounds: 7, warmUpRounds: 1 },
};
const QUICK: Extent = {
  workerCount: 20,
  sampleSeconds: 1,
  sampleCount: 2,
  besideRivals: { count: 2, concurrency: 2, rounds: 1, warmUpRounds: 0 },
};

/** Many workers at once for many minutes, as a server has them. */
export const soak: Measure = {
  name: "soak",
  work:
    "200 workers at once in one process for ten minutes, over loopback HTTP to the scripted model, " +
    "on all five wires; conversations end and new ones begin.",
  limit: "none; the first minutes are what the last are held against.",
  run: runSoak,
};

async function runSoak({ isQuick, ...options }: RunOptions): Promise<Findings> {
  const extent = isQuick ? QUICK : FULL;
  const promises = await callOnce<PromiseCounts>(
    builtScript("soak/promise-count-child.js"),
    "count",
    {},
  );
  const { samples, rest } = await soakFor(extent, (line) => options.progress(line));
  const conversations = await conversationCases(
    builtScript("soak/conversations-child.js"),
    extent.besideRivals,
  );
  return findingsOf({ ...extent, samples, rest, promises, conversations, isJudged: !isQuick });
}

async function soakFor(
  { workerCount, sampleSeconds, sampleCount }: Extent,
  progress: (line: string) => void,
): Promise<{ readonly samples: readonly Sample[]; readonly rest: Rest }> {
  const child = await startChild(builtScript("soak/soak-child.js"), { execArgv: ["--expose-gc"] });
  try {
    const samples: Sample[] = [];
    await child.call("start", { workerCount });
    while (samples.length < sampleCount) {
      await delay(sampleSeconds * 1000);
      samples.push(await child.call<Sample>("sample"));
      progress(formatSamples(samples).at(-1) ?? "");
    }
    return { samples, rest: await child.call<Rest>("stop") };
  } finally {
    await child.close();
  }
}
