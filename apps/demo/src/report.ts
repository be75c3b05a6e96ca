import type { RequestFacts, RunFacts } from "./facts.js";
import type { OpenModel } from "./model.js";
import { formatNumber } from "./numbers.js";
import type { SceneResult } from "./run-scene.js";
import type { StorePlace } from "./store-place.js";
import type { Style } from "./style.js";

/** A scene that was played to its end. */
export interface PlayedScene {
  readonly result: SceneResult;
  /** Where its history is kept, if it is. */
  readonly historyFile: string | undefined;
}

/** The numbers of one run as a small table. */
export function formatFacts(facts: RunFacts, style: Style): string {
  const storedCount = facts.outputs.filter((output) => output.blobId !== undefined).length;
  const totals = [
    [
      "produced by tools",
      facts.producedBytes,
      `${countOf(facts.outputs.length, "output")}, ${storedCount} stored`,
    ],
    ["put into the history", facts.historyBytes, "summaries, and small outputs whole"],
    ["read back by inspect", facts.inspectBytes, countOf(facts.inspectCalls, "call")],
  ] as const;
  const rows = totals.map(([name, bytes, note]) => [name, formatNumber(bytes), "bytes", note]);
  const requests = facts.requests.map((request, index) => [
    `request ${index + 1}`,
    formatNumber(request.sentBytes),
    request.allInlineBytes === undefined ? "–" : formatNumber(request.allInlineBytes),
    describeAnswer(request),
  ]);
  const sums = [
    "all requests",
    formatNumber(facts.sentBytes),
    formatNumber(facts.allInlineBytes),
    "",
  ];
  return [
    ...alignRows(rows, [1]),
    "",
    ...alignRows([["", "bytes sent", "all inline", "answered by"], ...requests, sums], [1, 2]),
    "",
    ...ALL_INLINE_NOTE.map((line) => style.quiet(line)),
    "",
  ].join("\n");
}

/** The same facts, and the answers, as one JSON document. */
export function toJsonReport(
  model: OpenModel,
  place: StorePlace,
  played: readonly PlayedScene[],
): string {
  const report = {
    model: { title: model.title, isLanguageModel: model.isLanguageModel },
    questions: played.map(({ result: { question, status, answer, facts }, historyFile }) => ({
      question,
      status,
      answer,
      ...facts,
      requests: facts.requests.map((request) => ({
        ...request,
        allInlineBytes: request.allInlineBytes ?? null,
      })),
      historyFile: historyFile ?? null,
    })),
    /** `null`: the blobs are removed when the demo ends. */
    blobDirectory: place.saveHistory === undefined ? null : place.blobDirectory,
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}

const ALL_INLINE_NOTE = [
  "all inline: the same requests with every tool output whole in them and without inspect;",
  "–: would not have been sent. Reckoned from sizes, without what JSON escapes add.",
];

function describeAnswer({ toolNames }: RequestFacts): string {
  return toolNames.length === 0 ? "text" : toolNames.join(", ");
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function alignRows(rows: readonly (readonly string[])[], numeric: readonly number[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) =>
        numeric.includes(column)
          ? cell.padStart(widths[column] ?? 0)
          : cell.padEnd(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
}
