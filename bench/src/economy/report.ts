import { formatTable } from "../harness/report.js";
import type { SetupFigures } from "./measure.js";
import { BYTES_PER_TOKEN, PRICES } from "./wire-meter.js";

/** What `fresh` is to reach on the corpus, beside all-inline. */
export const GOAL = { maxSentShare: 0.4, maxCostShare: 0.5 } as const;

/** How the figures come about; goes with them wherever they go. */
export const RULES: readonly string[] = [
  "Bytes are request bodies as the Anthropic provider writes them, without cache marks.",
  "Tool definitions were not recorded: each tool has its name and takes any object.",
  "Recorded reasoning has no signature: this wire does not send it back. It is paid as output.",
  `A token is ${BYTES_PER_TOKEN} bytes. Cost is in uncached input tokens: what a body has in common ` +
    `with the one before, from its first byte on, ${PRICES.cacheRead}; the rest ` +
    `${PRICES.cacheWrite}; output ${PRICES.output}.`,
  "looks: how often the model reads an output back that it has only the summary of. never: as " +
    "recorded, the lower bound. unseen: once, each output that it never had whole. every: once, " +
    "each output that is not whole any more, the upper bound.",
  "eino_default: over 50 000 bytes the first and last 25 000; over 160 000 tokens all results but " +
    "the last round's are cleared. What it leaves out is not checked here.",
  "offload_20k_tokens: over 80 000 characters a notice with the first 10 lines.",
];

export interface GoalCheck {
  readonly setup: string;
  readonly maxSentShare: number;
  readonly maxCostShare: number;
  readonly isMet: boolean;
}

/** Whether `fresh` is within the goal, with no more requests than all-inline and nothing lost. */
export function checkGoal(rows: readonly SetupFigures[]): GoalCheck {
  const fresh = rows.find((row) => row.name === "lazy_load/fresh" && row.looks === "never");
  const inline = rows.find((row) => row.name === "all_inline");
  const isMet =
    fresh !== undefined &&
    inline !== undefined &&
    fresh.sentShare <= GOAL.maxSentShare &&
    fresh.costShare <= GOAL.maxCostShare &&
    fresh.requests <= inline.requests &&
    fresh.reachability?.lostCount === 0;
  return { setup: "lazy_load/fresh", ...GOAL, isMet };
}

const COLUMNS = [
  "setup",
  "looks",
  "requests",
  "MB sent",
  "bytes",
  "cost",
  "breaks",
  "stored",
  "lost",
];

/** The figures as a table, one line a setup. */
export function formatSetups(rows: readonly SetupFigures[]): string {
  return formatTable([
    COLUMNS,
    ...rows.map((row) => [
      row.name,
      row.looks,
      String(row.requests),
      (row.sentBytes / 1e6).toFixed(1),
      percent(row.sentShare),
      percent(row.costShare),
      String(row.cacheBreaks),
      row.reachability === null ? "-" : String(row.reachability.storedCount),
      row.reachability === null ? "-" : String(row.reachability.lostCount),
    ]),
  ]);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}
