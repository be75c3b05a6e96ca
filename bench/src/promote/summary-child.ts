import { ToolOutput } from "llm-worker";
import { serveCalls } from "../harness/child.js";
import { measureUsage } from "../harness/usage.js";
import { logText, wideText } from "../samples/log-text.js";

export interface SummaryJob {
  readonly kind: "text" | "wide text";
  readonly byteCount: number;
}

let text: string | undefined;

serveCalls({
  /** The summary of a text, without storing it. */
  summary: async (job: SummaryJob) => {
    const value = valueOf(job);
    let summary = "";
    const figures = await measure(() => {
      const output = ToolOutput.from(value);
      summary = output.kind === "stored" ? output.summary : "";
    });
    const facts = `text | ${countLines(value)} lines | ${Buffer.byteLength(value)} bytes`;
    if (!summary.startsWith(facts)) throw new Error(`not the totals: ${summary}`);
    return figures;
  },

  /** Counts its lines. */
  "indexOf loop": async (job: SummaryJob) => {
    const value = valueOf(job);
    return measure(() => void countLines(value));
  },

  /** The obvious way. */
  split: async (job: SummaryJob) => {
    const value = valueOf(job);
    return measure(() => {
      const lines = value.split("\n");
      return void [lines.length, lines.slice(0, 5).join("\n"), lines.slice(-3).join("\n")];
    });
  },
});

function valueOf({ kind, byteCount }: SummaryJob): string {
  text ??= kind === "text" ? logText(byteCount) : wideText(byteCount);
  return text;
}

async function measure(work: () => void): Promise<Readonly<Record<string, number>>> {
  globalThis.gc?.();
  const { usage } = await measureUsage(work);
  return { ms: usage.wallMs, "CPU ms": usage.cpuMs, "added RSS MB": usage.addedRssMb };
}

function countLines(value: string): number {
  let count = 0;
  for (let at = value.indexOf("\n"); at !== -1; at = value.indexOf("\n", at + 1)) count += 1;
  return value.endsWith("\n") ? count : count + 1;
}
