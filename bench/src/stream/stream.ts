import { callOnce } from "../harness/child.js";
import { builtScript } from "../harness/built-script.js";
import { findCase } from "../harness/find-case.js";
import { interleave, type Subject } from "../harness/interleave.js";
import {
  type Case,
  type Findings,
  type Goal,
  LIMIT,
  type Measure,
  OURS,
  type RunOptions,
} from "../harness/measure.js";
import { hasRivals, rivalScript } from "../harness/rivals.js";
import { type Directories, withDirectories } from "../samples/directories.js";
import type { StreamJob } from "./stream-child.js";

const RIVAL = "deepagents FilesystemBackend";

/** What a stream costs that is longer than any string. */
export const stream: Measure = {
  name: "stream",
  work: "A tool streams its output in pieces of 64 KiB into a store of files, with index and summary.",
  limit: "the same pieces to a file, one after the other, with the same fsync.",
  run: runStream,
};

interface StreamCase extends Omit<StreamJob, "directory"> {
  readonly name: string;
  readonly rounds: number;
}

function streamCases({ isQuick }: RunOptions): readonly StreamCase[] {
  const MB = 1024 * 1024;
  if (isQuick) return [{ name: "2 MB", byteCount: 2 * MB + 1, durability: "none", rounds: 1 }];
  return [
    { name: "10 MB", byteCount: 10 * MB, durability: "none", rounds: 5 },
    { name: "256 MB", byteCount: 256 * MB, durability: "none", rounds: 5 },
    { name: "1 GB", byteCount: 1024 * MB, durability: "none", rounds: 5 },
    { name: "1 GB, fsync", byteCount: 1024 * MB, durability: "fsync", rounds: 3 },
  ];
}

async function runStream(options: RunOptions): Promise<Findings> {
  const cases = await withDirectories(async (directories) => {
    const all: Case[] = [];
    for (const one of streamCases(options)) {
      options.progress(one.name);
      all.push(...(await measureStream(one, directories)));
    }
    return all;
  });
  return {
    cases,
    goals: [streamGoal(cases)],
    notes: [
      "The one operation of a fresh process; the stored file is compared byte by byte with the stream afterwards.",
      hasRivals()
        ? "deepagents takes a tool's result as one string, so the stream is collected first; a string ends at 512 Mi characters. It makes nothing durable, so it has no figures with fsync."
        : "The rivals are not installed: `npm run bench` does it.",
    ],
  };
}

async function measureStream(
  { name, rounds, ...job }: StreamCase,
  directories: Directories,
): Promise<readonly Case[]> {
  const subject = async (script: URL, call: string): Promise<Subject> => {
    const input: StreamJob = { ...job, directory: await directories.next() };
    return () => callOnce(script, call, input, { execArgv: ["--expose-gc"] });
  };
  const own = builtScript("stream/stream-child.js");
  const subjects: Record<string, Subject> = {
    [LIMIT]: await subject(own, "copy"),
    [OURS]: await subject(own, "product"),
  };
  if (hasRivals() && job.durability === "none") {
    subjects[RIVAL] = await subject(rivalScript("deepagents-stream.mjs"), "evict");
  }
  return interleave(name, subjects, { rounds });
}

function streamGoal(cases: readonly Case[]): Goal {
  // The longest; in a quick run that is a short one.
  const longest = cases.findLast(({ name }) => !name.includes("fsync"))?.name;
  const of = (metric: string): Case => findCase(cases, metric, (name) => name === longest);
  const ratio = of("ms").ratioToLimit ?? Number.NaN;
  const added = of("added RSS MB").medians[OURS] ?? Number.NaN;
  const whole = of("process RSS MB").medians[OURS] ?? Number.NaN;
  return {
    id: "G9",
    bound: "1 GB at most 1.6 x the copy, at most 32 MB added, the whole process at most 96 MB",
    found: `${ratio.toFixed(2)} x, ${added.toFixed(1)} MB, ${whole.toFixed(0)} MB (${longest})`,
    isMet: ratio <= 1.6 && added <= 32 && whole <= 96,
  };
}
