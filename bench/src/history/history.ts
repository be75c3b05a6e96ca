import { builtScript } from "../harness/built-script.js";
import { type Child, startChild } from "../harness/child.js";
import { interleave, type Subject } from "../harness/interleave.js";
import {
  type Case,
  type Findings,
  LIMIT,
  type Measure,
  OURS,
  type RunOptions,
} from "../harness/measure.js";
import { hasRivals, rivalScript } from "../harness/rivals.js";
import { AS_BYTES, goals, METRIC } from "./goals.js";
import type { HistoryWork } from "./history-child.js";
import { wires } from "./wires.js";

const RIVALS = ["@anthropic-ai/sdk", "@langchain/anthropic", "pi-ai", "@tanstack/ai", "ai"];
/** The wire that all the rivals speak. */
const RIVALS_WIRE = "anthropic";
const SIZES = [10, 100, 1000, 5000];
const QUICK_SIZES = [10, 40];
const ROUNDS = 5;
/** A locked turn is short: the growth of a few of them could not be told from chance. */
const LOCKED_TURNS = 120;

/** What the request of a turn costs, by the length of the history. */
export const history: Measure = {
  name: "history",
  work: "CPU from the call until the HTTP layer holds the request's body, for histories of 10 to 5,000 items: locked (one more call and its result on a history that was sent before) and mutable (nothing was sent before).",
  limit: "JSON.stringify of the finished body.",
  run: runHistory,
};

async function runHistory(options: RunOptions): Promise<Findings> {
  const { isQuick } = options;
  const sizes = isQuick ? QUICK_SIZES : SIZES;
  const children = await startChildren();
  const cases: Case[] = [];
  const faults: string[] = [];
  const pieces: string[] = [];
  try {
    for (const wire of wires) {
      for (const itemCount of sizes) {
        options.progress(`${wire}, ${itemCount} items`);
        const work = { wire, itemCount, repeats: isQuick ? 1 : repeatsFor(itemCount) };
        faults.push(...(await children.ours.call<string[]>("findFaults", work)));
        const rounds = { rounds: isQuick ? 1 : ROUNDS, warmUpRounds: isQuick ? 0 : 1 };
        cases.push(
          ...(await interleave(
            `locked, ${wire}, ${itemCount}`,
            locked(children, work, isQuick ? 4 : LOCKED_TURNS),
            rounds,
          )),
          ...(await interleave(`mutable, ${wire}, ${itemCount}`, mutable(children, work), rounds)),
        );
      }
      const most = { wire, itemCount: sizes.at(-1) ?? 0, repeats: 1 };
      pieces.push(`${wire} ${await children.ours.call<number>("pieceCount", most)}`);
    }
  } finally {
    await Promise.all([children.ours, ...children.rivals.values()].map((child) => child.close()));
  }
  return {
    cases,
    goals: isQuick ? [] : goals(cases),
    notes: [
      "The body is caught where undici, or the rival's fetch, is handed it; nothing is sent.",
      "Items: calls with 400 characters of arguments, results of 800, one in ten with text outside of Latin-1.",
      "A rival has the history in messages of its own before the clock starts, and keeps nothing from turn to turn: its locked and mutable figures are the same work.",
      `Pieces of the longest body: ${pieces.join(", ")}.`,
      ...(hasRivals() ? [] : ["The rivals are not installed."]),
    ],
    faults,
  };
}

interface Children {
  readonly ours: Child;
  readonly rivals: ReadonlyMap<string, Child>;
}

async function startChildren(): Promise<Children> {
  const ours = await startChild(builtScript("history/history-child.js"));
  const rivals = new Map<string, Child>();
  if (hasRivals()) {
    for (const rival of RIVALS) {
      rivals.set(rival, await startChild(rivalScript("history.mjs"), { args: [rival] }));
    }
  }
  return { ours, rivals };
}

function locked(children: Children, work: HistoryWork, turns: number): Record<string, Subject> {
  const { ours } = children;
  const manyTurns = { ...work, repeats: turns };
  return {
    [LIMIT]: subject(ours, "stringify", work),
    [OURS]: subject(ours, "lockedTurns", manyTurns),
    "kept prefix, copied": subject(ours, "keptPrefix", { ...manyTurns, isCopied: true }),
    "kept prefix, in a list": subject(ours, "keptPrefix", { ...manyTurns, isCopied: false }),
    ...rivalSubjects(children, work),
  };
}

function mutable(children: Children, work: HistoryWork): Record<string, Subject> {
  return {
    [LIMIT]: subject(children.ours, "stringify", work),
    [OURS]: subject(children.ours, "wholeBodies", work),
    [AS_BYTES]: subject(children.ours, "stringify", { ...work, isEncoded: true }),
    ...rivalSubjects(children, work),
  };
}

function rivalSubjects({ rivals }: Children, work: HistoryWork): Record<string, Subject> {
  if (work.wire !== RIVALS_WIRE) return {};
  // They take long enough for a figure.
  const repeats = Math.ceil(work.repeats / 3);
  return Object.fromEntries(
    [...rivals].map(([rival, child]) => [
      rival,
      subject(child, "wholeBodies", { ...work, repeats }),
    ]),
  );
}

function subject(child: Child, name: string, work: object): Subject {
  return async () => ({ [METRIC]: await child.call<number>(name, work) });
}

function repeatsFor(itemCount: number): number {
  return Math.max(3, Math.min(30, Math.round(10_000 / itemCount)));
}
