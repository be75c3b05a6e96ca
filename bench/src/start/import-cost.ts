import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** What the probe tells: the import alone, and the whole process with its start. */
export interface ImportCost {
  readonly importCpuMs: number;
  readonly processCpuMs: number;
  readonly addedRssMb: number;
  readonly processRssMb: number;
}

/** The probe; `bench/rivals` is where it finds the rivals. */
export const PROBE: URL = new URL("../../rivals/import-cost.mjs", import.meta.url);

/**
 * Imports in a process of its own, without any option of this one.
 *
 * @param probe path of the probe; packages are looked for from there
 * @param imports `specifier#export`: the export has to be a function or class; none is bare Node
 * @throws Error with what the process wrote when it fails
 */
export async function importCost(probe: string, imports: readonly string[]): Promise<ImportCost> {
  const env = { ...process.env };
  delete env["NODE_OPTIONS"];
  const { stdout } = await promisify(execFile)(process.execPath, [probe, ...imports], { env });
  // The probe is our own script.
  return JSON.parse(stdout) as ImportCost;
}
