import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { machineClass } from "./harness/machine.js";
import type { Measure } from "./harness/measure.js";
import { formatSection, toRecord, type MeasureRecord } from "./harness/report.js";
import { writeSection } from "./harness/results-file.js";

/** What the command may know of its surroundings. */
export interface BenchContext {
  readonly env: NodeJS.ProcessEnv;
  /** Relative paths on the command line start here. */
  readonly currentDirectory: string;
  /** Where sections are written; the package's own RESULTS.md by default. */
  readonly resultsFile?: string | undefined;
  write(text: string): void;
  progress(line: string): void;
}

/**
 * Runs the measures named on the command line, or all.
 *
 * @returns the exit code: 1 if a measure found a fault or could not run, 2 for a command line that
 *   cannot be understood; a goal that is not met is no fault
 */
export async function runBench(
  args: readonly string[],
  measures: readonly Measure[],
  context: BenchContext,
): Promise<number> {
  const names = measures.map(({ name }) => name);
  let parsed;
  try {
    parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: "string" }, quick: { type: "boolean" } },
    });
  } catch (error) {
    context.progress(error instanceof Error ? error.message : String(error));
    context.progress(usage(measures));
    return 2;
  }
  const { values, positionals } = parsed;
  const unknown = positionals.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    context.progress(`there is no measure ${unknown.join(", ")}\n${usage(measures)}`);
    return 2;
  }
  const isQuick = values.quick === true;
  const chosen = measures.filter(
    ({ name }) => positionals.length === 0 || positionals.includes(name),
  );
  const records: MeasureRecord[] = [];
  let faults = 0;
  for (const measure of chosen) {
    const startedAt = performance.now();
    context.progress(`${measure.name} …`);
    try {
      const findings = await measure.run({
        isQuick,
        env: context.env,
        progress: (line) => context.progress(`  ${line}`),
      });
      const command = `npm run bench -- ${measure.name}${isQuick ? " --quick" : ""}`;
      const date = new Date().toISOString().slice(0, 10);
      const record = toRecord(measure, findings, {
        isQuick,
        date,
        command,
        machine: machineClass(),
      });
      records.push(record);
      const section = formatSection(measure, record);
      context.write(`${section}\n`);
      if (!isQuick) await writeSection(measure.name, section, names, context.resultsFile);
      for (const fault of findings.faults ?? []) {
        faults += 1;
        context.progress(`${measure.name}: ${fault}`);
      }
    } catch (error) {
      faults += 1;
      context.progress(
        `${measure.name} could not run: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    }
    context.progress(
      `${measure.name} took ${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
    );
  }
  if (values.json !== undefined) {
    const path = resolve(context.currentDirectory, values.json);
    await writeFile(path, `${JSON.stringify({ measures: records }, null, 2)}\n`);
    context.progress(`written to ${path}`);
  }
  return faults > 0 ? 1 : 0;
}

function usage(measures: readonly Measure[]): string {
  const width = Math.max(...measures.map(({ name }) => name.length));
  return [
    "npm run bench -- [NAME …] [--json FILE] [--quick]",
    "",
    ...measures.map(({ name, work }) => `${name.padEnd(width)}  ${work}`),
  ].join("\n");
}
