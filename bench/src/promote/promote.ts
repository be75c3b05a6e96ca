import { callOnce } from "../harness/child.js";
import { builtScript } from "../harness/built-script.js";
import { interleave, type Subject } from "../harness/interleave.js";
import {
  type Case,
  type Findings,
  LIMIT,
  type Measure,
  OURS,
  type RunOptions,
} from "../harness/measure.js";
import { hasRivals } from "../harness/rivals.js";
import { JSON_LAYOUTS } from "../samples/json-text.js";
import { withDirectories } from "../samples/directories.js";
import { promoteGoals } from "./goals.js";
import type { IndexJob } from "./index-child.js";
import { measureStore, storeCases } from "./store-cases.js";
import type { SummaryJob } from "./summary-child.js";

/** One is JSON, the other is lines of it. */
const QUICK_LAYOUTS = ["nested", "ndjson"] as const;

/** What a large tool result costs until it is a file, an index and a summary. */
export const promote: Measure = {
  name: "promote",
  work: "A tool's result in memory goes to a store of files, with index and summary; and what the index and the summary cost alone.",
  limit:
    "1 KB to 10 MB: the bytes to a temporary file, renamed. 256 MB: `fs.writeFile` of the string. Summary: an `indexOf` loop that counts lines. Index: a loop that looks at each byte once.",
  run: runPromote,
};

async function runPromote(options: RunOptions): Promise<Findings> {
  const store = await withDirectories(async (directories) => {
    const cases: Case[] = [];
    for (const storeCase of storeCases(options)) {
      options.progress(storeCase.name);
      cases.push(...(await measureStore(storeCase, directories)));
    }
    return cases;
  });
  const summary = await measureSummaries(options);
  const index = await measureIndexes(options);
  return {
    cases: [...store, ...summary, ...index],
    goals: promoteGoals({ store, summary, index }),
    notes: [
      "1 KB and 100 KB: steady state of a process, 15 calls a round. Else the one operation of a fresh process.",
      "Each stored file is compared byte by byte with the value, and each summary's totals with counts made apart; no time is taken meanwhile.",
      "The limit of a row has the same fsyncs as the product: of the file, and of the directory.",
      "Index: `BlobIndexBuilder` alone over pieces of 256 KiB; a step is one call of it, for whose time the event loop waits.",
      ...(hasRivals()
        ? [
            "deepagents makes nothing durable, so it has no figures with fsync; it evicts what has more than 80,000 characters.",
          ]
        : ["The rivals are not installed: `npm run bench` does it."]),
    ],
  };
}

async function measureSummaries(options: RunOptions): Promise<readonly Case[]> {
  const { isQuick } = options;
  const megabytes = isQuick ? 1 : 100;
  const cases: Case[] = [];
  for (const kind of ["text", "wide text"] as const) {
    const job: SummaryJob = { kind, byteCount: megabytes * 1e6 };
    const name = `summary of ${megabytes} MB ${kind}`;
    options.progress(name);
    const subjects = {
      [LIMIT]: fresh("promote/summary-child.js", "indexOf loop", job),
      [OURS]: fresh("promote/summary-child.js", "summary", job),
      split: fresh("promote/summary-child.js", "split", job),
    };
    cases.push(...(await interleave(name, subjects, { rounds: isQuick ? 1 : 7 })));
  }
  return cases;
}

async function measureIndexes(options: RunOptions): Promise<readonly Case[]> {
  const { isQuick } = options;
  const megabytes = isQuick ? 1 : 100;
  const cases: Case[] = [];
  for (const layout of isQuick ? QUICK_LAYOUTS : JSON_LAYOUTS) {
    const job: IndexJob = { layout, byteCount: megabytes * 1e6 };
    const name = `index of ${megabytes} MB, ${layout}`;
    options.progress(name);
    const subjects = {
      [LIMIT]: fresh("promote/index-child.js", "byte loop", job),
      [OURS]: fresh("promote/index-child.js", "index", job),
      "JSON.parse": fresh("promote/index-child.js", "JSON.parse", job),
    };
    cases.push(...(await interleave(name, subjects, { rounds: isQuick ? 1 : 5 })));
  }
  return cases;
}

/** The first operation of a process. */
function fresh(script: string, call: string, input: unknown): Subject {
  const url = builtScript(script);
  return () => callOnce(url, call, input, { execArgv: ["--expose-gc"] });
}
