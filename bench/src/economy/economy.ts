import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { BenchContext } from "../bench-context.js";
import { readTraces, traceDirectory } from "./corpus.js";
import { measureAll, type SetupFigures } from "./measure.js";
import { checkGoal, formatTable, GOAL, RULES } from "./report.js";
import { setups } from "./setups.js";

/** With `--quick`, sessions of more requests are left out. */
const QUICK_MAX_REQUESTS = 40;

/**
 * Replays the recorded sessions under every profile and policy and tells what each would send.
 *
 * @returns the exit code: 1 if a byte of an output was lost
 * @throws TypeError for options it does not have; CorpusMissingError without the sessions
 */
export async function runEconomy(args: readonly string[], context: BenchContext): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { json: { type: "string" }, quick: { type: "boolean" } },
  });
  const isQuick = values.quick === true;
  const all = await readTraces(traceDirectory(context.env));
  const traces = isQuick
    ? all.filter(({ requestCount }) => requestCount <= QUICK_MAX_REQUESTS)
    : all;
  const rows: SetupFigures[] = [];
  for await (const row of measureAll(traces, setups)) rows.push(row);
  const goal = checkGoal(rows);
  const outputs = rows.find(({ reachability }) => reachability !== null)?.reachability?.outputCount;
  context.write(
    `${traces.length} of ${all.length} recorded sessions, ${outputs ?? 0} outputs\n\n` +
      `${formatTable(rows)}\n\n${RULES.map((rule) => `- ${rule}\n`).join("")}\n` +
      `goal (lazy_load/fresh, never): at most ${100 * GOAL.maxSentShare}% of the bytes, ` +
      `${100 * GOAL.maxCostShare}% of the cost, no more requests, nothing lost: ` +
      `${goal.isMet ? "met" : "NOT met"}${isQuick ? " on this part of the corpus" : ""}\n`,
  );
  if (values.json !== undefined) {
    const path = resolve(context.currentDirectory, values.json);
    const figures = {
      bench: "economy",
      isQuick,
      sessions: traces.length,
      rules: RULES,
      goal,
      rows,
    };
    await writeFile(path, `${JSON.stringify(figures, null, 2)}\n`);
    context.write(`written to ${path}\n`);
  }
  return rows.some(({ reachability }) => (reachability?.lostCount ?? 0) > 0) ? 1 : 0;
}
