import { startChild, callOnce, type Child } from "../harness/child.js";
import { builtScript } from "../harness/built-script.js";
import { interleave, type Subject } from "../harness/interleave.js";
import { type Case, LIMIT, OURS, type RunOptions } from "../harness/measure.js";
import { hasRivals, rivalScript } from "../harness/rivals.js";
import type { Directories } from "../samples/directories.js";
import type { StoreJob } from "./jobs.js";

/** One size and kind of value. */
export interface StoreCase extends Omit<StoreJob, "directory"> {
  readonly name: string;
  /** What the limit does. */
  readonly limit: "temp and rename" | "writeFile";
  readonly rounds: number;
  readonly warmUpRounds: number;
  readonly hasRival: boolean;
}

const KB = 1024;
const MB = 1024 * 1024;
/** Small values are stored many times by one process, large ones once by a fresh one. */
const SMALL = { limit: "temp and rename", calls: 15, rounds: 9, warmUpRounds: 3 } as const;
const MEDIUM = { limit: "temp and rename", calls: 1, rounds: 5, warmUpRounds: 0 } as const;
const LARGE = { limit: "writeFile", calls: 1, rounds: 5, warmUpRounds: 0 } as const;

/** The rows of the full run, or the same with less in them. */
export function storeCases({ isQuick }: RunOptions): readonly StoreCase[] {
  const [medium, large] = isQuick ? [300 * KB, 400 * KB] : [10 * MB, 256 * MB];
  const of = (
    kind: StoreJob["kind"],
    byteCount: number,
    durability: StoreJob["durability"],
    rest: Pick<StoreCase, "limit" | "calls" | "rounds" | "warmUpRounds">,
  ): StoreCase => {
    // Up to 80,000 characters the rival evicts nothing; it makes nothing durable; it starts slowly.
    const canRival = byteCount > 80_000 && durability === "none";
    const hasRival = canRival && (!isQuick || kind === "JSON");
    const name = `${sizeName(byteCount)} ${kind}${durability === "fsync" ? ", fsync" : ""}`;
    const less = { calls: Math.min(rest.calls, 2), rounds: 1, warmUpRounds: 0 };
    return { name, kind, byteCount, durability, hasRival, ...rest, ...(isQuick ? less : {}) };
  };
  const quick = [
    of("text", KB, "none", SMALL),
    of("text", 100 * KB, "fsync", SMALL),
    of("JSON", 100 * KB, "none", SMALL),
    of("wide text", medium, "none", MEDIUM),
    of("text", large, "none", LARGE),
    of("text", large, "fsync", LARGE),
  ];
  if (isQuick) return quick;
  const all = [
    ...quick,
    of("text", KB, "fsync", SMALL),
    of("text", 100 * KB, "none", SMALL),
    of("text", medium, "none", MEDIUM),
    of("JSON", medium, "none", MEDIUM),
    of("JSON", large, "none", { ...LARGE, rounds: 3 }),
  ];
  return all.toSorted((one, other) => one.byteCount - other.byteCount);
}

/** Runs one of them: the product, the limit and the rivals in turn. */
export async function measureStore(
  { name, limit, rounds, warmUpRounds, hasRival, ...job }: StoreCase,
  directories: Directories,
): Promise<readonly Case[]> {
  const children: Child[] = [];
  const subject = async (script: URL, call: string): Promise<Subject> => {
    const directory = await directories.next();
    const input: StoreJob = { ...job, directory };
    const options = { execArgv: ["--expose-gc"] };
    if (job.calls === 1) return () => callOnce(script, call, input, options);
    const child = await startChild(script, options);
    children.push(child);
    return () => child.call(call, input);
  };
  const own = builtScript("promote/store-child.js");
  const rival = rivalScript("deepagents-eviction.mjs");
  const rivals = hasRivals() && hasRival ? ["FilesystemBackend", "StateBackend"] : [];
  try {
    const subjects: Record<string, Subject> = {
      [LIMIT]: await subject(own, limit),
      [OURS]: await subject(own, "product"),
    };
    for (const backend of rivals) {
      subjects[`deepagents ${backend}`] = await subject(rival, backend);
    }
    return await interleave(name, subjects, { rounds, warmUpRounds });
  } finally {
    await Promise.all(children.map((child) => child.close()));
  }
}

function sizeName(byteCount: number): string {
  return byteCount < MB ? `${Math.round(byteCount / KB)} KB` : `${Math.round(byteCount / MB)} MB`;
}
