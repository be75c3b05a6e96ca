import { type Child, startChild } from "../harness/child.js";
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
import { type Directories, withDirectories } from "../samples/directories.js";
import type { BlobsJob } from "./blobs-child.js";

/** What many small blobs cost. */
export const blobs: Measure = {
  name: "blobs",
  work: "1,000 blobs of 4 KB go to a store of files, so many at a time.",
  limit:
    "the same bytes to temporary files, renamed, so many at a time; with the same fsyncs: of each file, and of the directory shared by those that wait.",
  run: runBlobs,
};

async function runBlobs(options: RunOptions): Promise<Findings> {
  const { isQuick } = options;
  const cases = await withDirectories(async (directories) => {
    const all: Case[] = [];
    for (const durability of ["none", "fsync"] as const) {
      for (const atATime of isQuick ? [1, 16] : [1, 4, 16, 64, 256]) {
        const count = isQuick ? 20 : 1000;
        const name = `${atATime} at a time${durability === "fsync" ? ", fsync" : ""}`;
        options.progress(name);
        const job = { count, byteCount: 4096, atATime, durability };
        all.push(...(await measureBlobs(name, job, directories, options)));
      }
    }
    return all;
  });
  return {
    cases,
    goals: [blobsGoal(cases)],
    notes: [
      "Steady state of a process; every file is read back and compared after its round.",
      "The store has at most 16 operations under way, the limit as many as are asked for.",
    ],
  };
}

async function measureBlobs(
  name: string,
  job: Omit<BlobsJob, "directory">,
  directories: Directories,
  { isQuick }: RunOptions,
): Promise<readonly Case[]> {
  const children: Child[] = [];
  const subject = async (call: string): Promise<Subject> => {
    const input: BlobsJob = { ...job, directory: await directories.next() };
    const child = await startChild(builtScript("blobs/blobs-child.js"));
    children.push(child);
    return () => child.call(call, input);
  };
  try {
    const subjects = { [LIMIT]: await subject("bare loop"), [OURS]: await subject("product") };
    const counts = isQuick ? { rounds: 1 } : { rounds: 5, warmUpRounds: 1 };
    return await interleave(name, subjects, counts);
  } finally {
    await Promise.all(children.map((child) => child.close()));
  }
}

function blobsGoal(cases: readonly Case[]): Goal {
  const rates = ["16 at a time", "16 at a time, fsync"].map((name) => {
    const ratio = findCase(cases, "ms", (one) => one === name).ratioToLimit;
    return { name, share: 1 / (ratio ?? Number.NaN) };
  });
  return {
    id: "G18",
    bound: "16 at a time, with and without fsync, at least 0.8 of the rate of the bare loop",
    found: rates.map(({ name, share }) => `${share.toFixed(2)} (${name})`).join("; "),
    isMet: rates.every(({ share }) => share >= 0.8),
  };
}
