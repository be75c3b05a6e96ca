import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const MEGABYTE = 1e6;

/** What a piece of work has cost this process. */
export interface Usage {
  /** User and system time of all threads. */
  readonly cpuMs: number;
  readonly wallMs: number;
  /** The most resident memory during the work, beyond what there was before. */
  readonly addedRssMb: number;
  /** The most resident memory of the whole process during the work. */
  readonly peakRssMb: number;
}

/** Runs `work` and tells its result and what it cost this process. */
export async function measureUsage<Result>(
  work: () => Result | Promise<Result>,
): Promise<{ readonly result: Result; readonly usage: Usage }> {
  const before = resetPeakRss();
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const result = await work();
  const wallMs = performance.now() - startedAt;
  const cpu = process.cpuUsage(cpuBefore);
  const peak = readStatus("VmHWM") ?? process.memoryUsage.rss();
  return {
    result,
    usage: {
      cpuMs: (cpu.user + cpu.system) / 1000,
      wallMs,
      addedRssMb: Math.max(0, peak - before) / MEGABYTE,
      peakRssMb: peak / MEGABYTE,
    },
  };
}

const LOOK_MS = 100;
/** Of a look in which nothing is at work but the look. */
const QUIET_CPU_MS = 5;
const QUIET_LOOKS = 3;
const MAX_LOOKS = 100;

/**
 * Resolves when this process has hardly used the CPU for a while, or after ten seconds. What has become
 * hot is compiled on other threads: that would be counted with what is measured next, or not, by chance.
 */
export async function rest(): Promise<void> {
  for (let looks = 0, quiet = 0; looks < MAX_LOOKS && quiet < QUIET_LOOKS; looks++) {
    const before = process.cpuUsage();
    await delay(LOOK_MS);
    const { user, system } = process.cpuUsage(before);
    quiet = (user + system) / 1000 < QUIET_CPU_MS ? quiet + 1 : 0;
  }
}

/** Starts the kernel's high-water mark anew. @returns the resident bytes now */
function resetPeakRss(): number {
  try {
    writeFileSync("/proc/self/clear_refs", "5");
  } catch {
    // Not Linux: the peak is then the resident size at the end.
  }
  return process.memoryUsage.rss();
}

function readStatus(field: string): number | undefined {
  try {
    const status = readFileSync("/proc/self/status", "utf8");
    const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}
