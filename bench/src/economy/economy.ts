import type { Findings, Measure, RunOptions } from "../harness/measure.js";
import { readTraces, traceDirectory } from "./corpus.js";
import { measureAll, type SetupFigures } from "./measure.js";
import { checkGoal, formatSetups, GOAL, RULES } from "./report.js";
import { setups } from "./setups.js";

/** In a quick run sessions of more requests are left out. */
const QUICK_MAX_REQUESTS = 40;

/** Replays the recorded sessions under every profile and policy and tells what each would send. */
export const economy: Measure = {
  name: "economy",
  work: "What each profile and policy would send on the recorded sessions, beside all outputs inline.",
  limit: "none; all-inline is 100%.",
  run: runEconomy,
};

/** @throws CorpusMissingError without the sessions */
async function runEconomy({ isQuick, env }: RunOptions): Promise<Findings> {
  const all = await readTraces(traceDirectory(env));
  const traces = isQuick
    ? all.filter(({ requestCount }) => requestCount <= QUICK_MAX_REQUESTS)
    : all;
  const rows: SetupFigures[] = [];
  for await (const row of measureAll(traces, setups)) rows.push(row);
  const goal = checkGoal(rows);
  const fresh = rows.find(({ name, looks }) => name === goal.setup && looks === "never");
  const outputs = rows.find(({ reachability }) => reachability !== null)?.reachability?.outputCount;
  const lost = rows.filter(({ reachability }) => (reachability?.lostCount ?? 0) > 0);
  return {
    cases: [],
    table: formatSetups(rows),
    goals: [
      {
        id: "economy",
        bound:
          `${goal.setup} sends at most ${100 * GOAL.maxSentShare}% of the bytes at ` +
          `${100 * GOAL.maxCostShare}% of the cost, no more requests, nothing lost`,
        found:
          fresh === undefined
            ? "no sessions"
            : `${(100 * fresh.sentShare).toFixed(1)}%, ${(100 * fresh.costShare).toFixed(1)}%`,
        isMet: goal.isMet,
      },
    ],
    notes: [
      `${traces.length} of ${all.length} recorded sessions, ${outputs ?? 0} outputs.`,
      ...RULES,
    ],
    details: { sessions: traces.length, goal, rows },
    faults: lost.map(({ name, looks }) => `${name}, looks ${looks}: bytes of an output were lost`),
  };
}
