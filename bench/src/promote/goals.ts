import { findCase } from "../harness/find-case.js";
import { type Case, type Goal, OURS } from "../harness/measure.js";

/** The cases of the three parts of the measure. */
export interface PromoteCases {
  readonly store: readonly Case[];
  readonly summary: readonly Case[];
  readonly index: readonly Case[];
}

/** Bytes of the texts that are indexed, for their speed. */
const BYTES_PER_MEGABYTE = 1e6;

/** Holds the cases against what was promised. */
export function promoteGoals({ store, summary, index }: PromoteCases): readonly Goal[] {
  return [...storeGoals(store), summaryGoal(summary), indexGoal(index)];
}

function storeGoals(cases: readonly Case[]): readonly Goal[] {
  const names = [...new Set(cases.map(({ name }) => name))];
  // The largest text; in a quick run that is a small one.
  const largest = names.filter((name) => name.endsWith(" text")).at(-1) ?? "";
  const large = [largest, `${largest}, fsync`].map((name) => ({
    time: caseOf(cases, "ms", name),
    memory: caseOf(cases, "added RSS MB", name),
  }));
  const small = names
    .filter((name) => /^(1|100) KB text/.test(name))
    .map((name) => caseOf(cases, "ms", name));
  const [rivalTime, rivalMemory] = ["ms", "added RSS MB"].map(
    (metric) =>
      caseOf(cases, metric, largest).ratioToRivals["deepagents FilesystemBackend"] ?? null,
  );
  return [
    {
      id: "G8",
      bound: "256 MB text at most 1.0 x writeFile, at most 16 MB added, with and without fsync",
      found: large
        .map(({ time, memory }) => `${ratio(time)} and ${megabytes(memory)} (${time.name})`)
        .join("; "),
      isMet: large.every(
        ({ time, memory }) =>
          (time.ratioToLimit ?? Infinity) <= 1 && (memory.medians[OURS] ?? Infinity) <= 16,
      ),
    },
    ...(rivalTime == null || rivalMemory == null
      ? []
      : [
          {
            id: "G8, rival",
            bound: "at least 2.5 x as fast as deepagents, with at most 1/20 of its memory",
            found: `${(1 / rivalTime).toFixed(1)} x, 1/${Math.round(1 / rivalMemory)}`,
            isMet: rivalTime <= 1 / 2.5 && rivalMemory <= 1 / 20,
          },
        ]),
    {
      id: "G10",
      bound: "1 KB and 100 KB text at most 1.5 x temp file and rename, without an index file",
      found: small.map((one) => `${ratio(one)} (${one.name})`).join("; "),
      isMet: small.every(({ ratioToLimit }) => (ratioToLimit ?? Infinity) <= 1.5),
    },
  ];
}

function summaryGoal(cases: readonly Case[]): Goal {
  const isPlain = (name: string): boolean => name.endsWith("MB text");
  const time = findCase(cases, "ms", isPlain);
  const memory = findCase(cases, "added RSS MB", isPlain);
  return {
    id: "G15",
    bound: "summary of 100 MB text at most 1.3 x the indexOf loop, at most 10 MB added",
    found: `${ratio(time)}, ${megabytes(memory)}`,
    isMet: (time.ratioToLimit ?? Infinity) <= 1.3 && (memory.medians[OURS] ?? Infinity) <= 10,
  };
}

function indexGoal(cases: readonly Case[]): Goal {
  const of = (metric: string): readonly Case[] => cases.filter((one) => one.metric === metric);
  const ours = (metric: string): readonly number[] =>
    of(metric).map(({ medians }) => medians[OURS] ?? Number.NaN);
  const speeds = of("CPU ms").map(({ name, medians }) => {
    const bytes = Number(/(\d+) MB/.exec(name)?.[1]) * BYTES_PER_MEGABYTE;
    return bytes / 1e3 / (medians[OURS] ?? Number.NaN);
  });
  const timesParse = of("CPU ms").map(
    ({ ratioToRivals }) => 1 / (ratioToRivals["JSON.parse"] ?? Number.NaN),
  );
  const longestMs = Math.max(...ours("longest step ms"));
  const share = Math.max(...ours("index % of data"));
  const addedMb = Math.max(...ours("added RSS MB"));
  return {
    id: "G13",
    bound:
      "each layout of JSON at least 350 MB/s and 5 x JSON.parse; index at most 0.2 %, no step over 10 ms, at most 16 MB added",
    found:
      `${Math.round(Math.min(...speeds))} MB/s, ${Math.min(...timesParse).toFixed(1)} x JSON.parse, ` +
      `${share.toFixed(2)} %, ${longestMs.toFixed(1)} ms, ${addedMb.toFixed(1)} MB at worst`,
    isMet:
      Math.min(...speeds) >= 350 &&
      Math.min(...timesParse) >= 5 &&
      share <= 0.2 &&
      longestMs <= 10 &&
      addedMb <= 16,
  };
}

function caseOf(cases: readonly Case[], metric: string, name: string): Case {
  return findCase(cases, metric, (one) => one === name);
}

function ratio({ ratioToLimit }: Case): string {
  return `${(ratioToLimit ?? Number.NaN).toFixed(2)} x`;
}

function megabytes({ medians }: Case): string {
  return `${(medians[OURS] ?? Number.NaN).toFixed(1)} MB`;
}
