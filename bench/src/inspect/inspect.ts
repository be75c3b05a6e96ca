import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FsBlobStore } from "llm-worker-persistence";
import { interleave } from "../harness/interleave.js";
import type { Case, Findings, Measure, RunOptions } from "../harness/measure.js";
import { hasRivals } from "../harness/rivals.js";
import { type Shelf, storeArray, storeLog, storeObject } from "./corpus.js";
import { checkGoals } from "./goals.js";
import {
  elementRivals,
  finders,
  indexers,
  keyRivals,
  lineRivals,
  readers,
  SLOW_READS,
  type Subjects,
} from "./subjects.js";

/** Reads small parts of large blobs with the tool `inspect`. */
export const inspect: Measure = {
  name: "inspect",
  work: "A small part of a large blob, by the tool `inspect` over FsBlobStore: the first call of a process, then others.",
  limit:
    "open, pread of the known range, close; for `find:` one scan; without index reading all of the blob.",
  run: runInspect,
};

interface Sizes {
  readonly smallestLog: number;
  /** The largest that rivals can read. */
  readonly rivalLog: number;
  readonly largestLog: number;
  readonly json: number;
}

const FULL: Sizes = { smallestLog: 1e7, rivalLog: 2.56e8, largestLog: 1e9, json: 5e8 };
const QUICK: Sizes = { smallestLog: 4e5, rivalLog: 6e5, largestLog: 1e6, json: 1e6 };

async function runInspect(options: RunOptions): Promise<Findings> {
  const { isQuick } = options;
  const sizes = isQuick ? QUICK : FULL;
  const rounds = isQuick ? 1 : 5;
  const rivalRounds = isQuick ? 1 : RIVAL_ROUNDS;
  const cases: Case[] = [];
  const compare = async (name: string, subjects: Subjects, roundCount = rounds): Promise<void> => {
    options.progress(name);
    cases.push(...(await interleave(name, subjects, { rounds: roundCount })));
  };
  /** Of cases whose code another one runs as well. */
  const compareInFull: typeof compare = async (name, subjects) => {
    if (!isQuick) await compare(name, subjects);
  };
  const names = caseNames(sizes);
  const root = await mkdtemp(join(tmpdir(), "llm-worker-bench-inspect-"));
  try {
    await onShelf(root, async (shelf) => {
      await compareInFull(names.smallestLog, readers(await storeLog(shelf, sizes.smallestLog)));
    });
    await onShelf(root, async (shelf) => {
      const log = await storeLog(shelf, sizes.rivalLog);
      await compare(names.rivalLog, { ...readers(log), ...lineRivals(log) }, rivalRounds);
    });
    await onShelf(root, async (shelf) => {
      const log = await storeLog(shelf, sizes.largestLog);
      const rivals = isQuick ? {} : lineRivals(log);
      await compare(names.largestLog, { ...readers(log), ...rivals }, rivalRounds);
      await compare(names.find, finders(log), rivalRounds);
      await compare(names.logWithoutIndex, indexers(log));
      await compareInFull(names.keptIndex, readers(log));
    });
    await onShelf(root, async (shelf) => {
      const array = await storeArray(shelf, sizes.json);
      await compare(names.array, { ...readers(array), ...elementRivals(array) }, rivalRounds);
      await compare(names.jsonWithoutIndex, indexers(array));
    });
    await onShelf(root, async (shelf) => {
      const { lastKey, anyKey, nested } = await storeObject(shelf, sizes.json);
      await compareInFull(names.anyKey, readers(anyKey));
      await compare(names.nested, readers(nested));
      await compareInFull(names.lastKey, readers(lastKey));
      await compare(names.lastKeyOnce, { ...readers(lastKey), ...keyRivals(lastKey) }, 1);
    });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
  const json = [names.array, names.anyKey, names.nested, names.lastKey];
  return {
    cases,
    goals: isQuick
      ? []
      : checkGoals(cases, { ...names, json }, { log: sizes.largestLog, json: sizes.json }),
    notes: [
      "Each subject runs in a process of its own in each round, on the same file, with the page cache warm; each answer is compared with what was written.",
      `Rivals that read the whole file for an answer are asked ${SLOW_READS} times at most.`,
      ...(hasRivals() ? [] : ["The rivals are not installed: `npm run bench` installs them."]),
    ],
  };
}

/** Of cases in which somebody reads hundreds of megabytes for each answer. */
const RIVAL_ROUNDS = 3;

function caseNames({ smallestLog, rivalLog, largestLog, json }: Sizes) {
  const lines = (byteCount: number): string => `30 lines of a log of ${formatSize(byteCount)}`;
  const size = formatSize(json);
  return {
    smallestLog: lines(smallestLog),
    rivalLog: lines(rivalLog),
    largestLog: lines(largestLog),
    find: `find: a rare word in ${formatSize(largestLog)}`,
    logWithoutIndex: `a log of ${formatSize(largestLog)} without index`,
    keptIndex: `${lines(largestLog)}, index made by a reader`,
    array: `6 elements of an array of ${size}`,
    jsonWithoutIndex: `an array of ${size} without index`,
    anyKey: `a key of an object of ${size}`,
    nested: `a nested chain in ${size}`,
    lastKey: `the last key of an object of ${size}`,
    lastKeyOnce: `the last key of an object of ${size}, once`,
  };
}

async function onShelf(root: string, use: (shelf: Shelf) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(root, "store-"));
  const store = new FsBlobStore(directory, { durability: "none" });
  try {
    await use({ store, place: join(directory, "blobs") });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function formatSize(byteCount: number): string {
  return byteCount >= 1e9 ? `${byteCount / 1e9} GB` : `${byteCount / 1e6} MB`;
}
