import { LIMIT, OURS, type Case, type Goal } from "../harness/measure.js";
import { formatNumber } from "../harness/report.js";

/** Names of the cases that the goals look at. */
export interface CaseNames {
  readonly smallestLog: string;
  readonly rivalLog: string;
  readonly largestLog: string;
  readonly json: readonly string[];
  readonly find: string;
  readonly logWithoutIndex: string;
  readonly jsonWithoutIndex: string;
  readonly keptIndex: string;
}

/** Sizes in bytes of the blobs without index. */
export interface IndexedBytes {
  readonly log: number;
  readonly json: number;
}

const STEADY = "ms, steady";
const FIRST = "ms, first call";
const RSS = "added RSS MB, first call";
const SCAN = "ms, scan";
const SCAN_RSS = "added RSS MB, scan";

const MAX = { steadyMs: 1, firstMs: 5, rssMb: 8, growth: 1.5, findToScan: 1.5 };
const MIN = { timesFaster: 1000, logBytesPerMs: 1.4e6, jsonBytesPerMs: 3.5e5 };

/** What of the goals is met. */
export function checkGoals(
  cases: readonly Case[],
  names: CaseNames,
  bytes: IndexedBytes,
): readonly Goal[] {
  const figure = (name: string, metric: string, subject: string = OURS): number =>
    cases.find((one) => one.name === name && one.metric === metric)?.medians[subject] ?? Number.NaN;
  // A blob of which one thing is asked has no steady state.
  const worst = (metric: string): number =>
    Math.max(...names.json.map((name) => figure(name, metric)).filter(Number.isFinite));

  const steady = figure(names.largestLog, STEADY);
  const growth = steady / figure(names.smallestLog, STEADY);
  const rivals = cases.find(({ name, metric }) => name === names.rivalLog && metric === STEADY);
  const timesFaster = Math.min(
    ...Object.values(rivals?.ratioToRivals ?? {}).map((ratio) => 1 / ratio),
  );
  const findRatio = figure(names.find, SCAN) / figure(names.find, SCAN, LIMIT);
  const logSpeed = bytes.log / figure(names.logWithoutIndex, SCAN);
  const jsonSpeed = bytes.json / figure(names.jsonWithoutIndex, SCAN);
  const scanRss = Math.max(
    figure(names.logWithoutIndex, SCAN_RSS),
    figure(names.jsonWithoutIndex, SCAN_RSS),
  );
  return [
    atMost("G11", "steady ms", MAX.steadyMs, steady),
    atMost("G11", "first call ms", MAX.firstMs, figure(names.largestLog, FIRST)),
    atMost("G11", "added RSS MB", MAX.rssMb, figure(names.largestLog, RSS)),
    atMost("G11", "time at the largest over the smallest log", MAX.growth, growth),
    atLeast("G11", "times faster than any rival", MIN.timesFaster, timesFaster),
    atMost("G12", "steady ms, worst of JSON", MAX.steadyMs, worst(STEADY)),
    atMost("G12", "first call ms, worst of JSON", MAX.firstMs, worst(FIRST)),
    atMost("G12", "added RSS MB, worst of JSON", MAX.rssMb, worst(RSS)),
    atLeast("G14", "GB/s, lines without index", MIN.logBytesPerMs / 1e6, logSpeed / 1e6),
    atLeast("G14", "MB/s, JSON without index", MIN.jsonBytesPerMs / 1e3, jsonSpeed / 1e3),
    atMost("G14", "added RSS MB while indexing", MAX.rssMb, scanRss),
    atMost("G14", "first call ms of the next process", MAX.firstMs, figure(names.keptIndex, FIRST)),
    atMost("find", "time over one scan", MAX.findToScan, findRatio),
  ];
}

function atMost(id: string, what: string, bound: number, found: number): Goal {
  return goal(id, `${what}: at most ${bound}`, found, found <= bound);
}

function atLeast(id: string, what: string, bound: number, found: number): Goal {
  return goal(id, `${what}: at least ${bound}`, found, found >= bound);
}

function goal(id: string, bound: string, found: number, isMet: boolean): Goal {
  return { id, bound, found: formatNumber(found), isMet };
}
