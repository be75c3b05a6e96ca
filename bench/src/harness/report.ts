import { LIMIT, OURS, type Case, type Findings, type Measure } from "./measure.js";
import { median } from "./statistics.js";

/** What the JSON file has of one measure. */
export interface MeasureRecord {
  readonly name: string;
  readonly work: string;
  readonly isQuick: boolean;
  readonly date: string;
  readonly command: string;
  readonly machine: string;
  /** Median of the ratios of the cases that measure time, each case the median of its rounds. */
  readonly ratioToLimit: number | null;
  readonly worstRatioToLimit: number | null;
  /** Median over the cases of time that the rival took part in. */
  readonly ratioToRivals: Readonly<Record<string, number>>;
  readonly findings: Findings;
}

/** Metrics that tell a time, of the processor or of the clock. */
const TIME = /\bms\b/;

/** Makes the record of a measure that has run. */
export function toRecord(
  measure: Measure,
  findings: Findings,
  circumstances: Pick<MeasureRecord, "isQuick" | "date" | "command" | "machine">,
): MeasureRecord {
  const timed = findings.cases.filter(({ metric }) => TIME.test(metric));
  const toLimit = timed.flatMap(({ ratioToLimit }) => ratioToLimit ?? []);
  const rivals = rivalsOf(timed);
  return {
    name: measure.name,
    work: measure.work,
    ...circumstances,
    ratioToLimit: toLimit.length === 0 ? null : median(toLimit),
    worstRatioToLimit: toLimit.length === 0 ? null : Math.max(...toLimit),
    ratioToRivals: Object.fromEntries(
      rivals.map((rival) => [
        rival,
        // A rival that fails everywhere has none, which JSON writes as null.
        median(timed.flatMap(({ ratioToRivals }) => ratioToRivals[rival] ?? [])),
      ]),
    ),
    findings,
  };
}

/** One section of the results in Markdown, without its heading's marker. */
export function formatSection(measure: Measure, record: MeasureRecord): string {
  const { findings } = record;
  const parts = [
    `## ${measure.name}`,
    `${measure.work} Limit: ${measure.limit}`,
    `Measured ${record.date} with \`${record.command}\` on ${record.machine}.`,
    ...(findings.table === undefined ? [] : [findings.table]),
    ...(findings.cases.length === 0 ? [] : [formatCases(findings.cases)]),
    ...remarkLines(findings.cases),
    ...(findings.goals.length === 0 ? [] : [formatGoals(findings)]),
    ...(findings.notes.length === 0 ? [] : [findings.notes.map((note) => `- ${note}`).join("\n")]),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** The cases as one table for each metric: raw medians, and ratios to the limit and to the rivals. */
export function formatCases(cases: readonly Case[]): string {
  const metrics = [...new Set(cases.map(({ metric }) => metric))];
  return metrics
    .map((metric) => {
      const rows = cases.filter((row) => row.metric === metric);
      const rivals = rivalsOf(rows);
      const head = [metric, LIMIT, OURS, "x limit", ...rivals];
      const body = rows.map((row) => [
        row.name,
        formatNumber(row.medians[LIMIT]),
        formatNumber(row.medians[OURS]),
        row.ratioToLimit === null ? "" : `**${row.ratioToLimit.toFixed(2)}**`,
        ...rivals.map((rival) => formatRival(row, rival)),
      ]);
      const isEmpty = (column: number): boolean => body.every((row) => row[column] === "");
      const columns = head.flatMap((_, column) => (column > 0 && isEmpty(column) ? [] : [column]));
      return formatTable([head, ...body].map((row) => columns.map((column) => row[column] ?? "")));
    })
    .join("\n\n");
}

/** Rows of cells, the first the head, as a Markdown table; the first column left, the others right. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  const widths = head.map((_, column) =>
    Math.max(3, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const line = (row: readonly string[]): string =>
    `| ${widths
      .map((width, column) => {
        const cell = row[column] ?? "";
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join(" | ")} |`;
  const rule = `| ${widths
    .map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`))
    .join(" | ")} |`;
  return [line(head), rule, ...body.map(line)].join("\n");
}

/** Three significant digits, or whole where there are more. */
export function formatNumber(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return "";
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US").replaceAll(",", " ");
  return String(Number(value.toPrecision(3)));
}

function formatRival(row: Case, rival: string): string {
  const value = row.medians[rival];
  if (value === undefined) return row.remarks?.[rival] === undefined ? "" : "fails";
  const ratio = row.ratioToRivals[rival];
  const times = ratio === undefined || ratio === 0 ? "" : ` (${(1 / ratio).toFixed(1)}x ours)`;
  return `${formatNumber(value)}${times}`;
}

function rivalsOf(cases: readonly Case[]): readonly string[] {
  return [
    ...new Set(
      cases.flatMap(({ medians, remarks }) => [
        ...Object.keys(medians),
        ...Object.keys(remarks ?? {}),
      ]),
    ),
  ].filter((subject) => subject !== OURS && subject !== LIMIT);
}

function remarkLines(cases: readonly Case[]): readonly string[] {
  const lines = cases.flatMap(({ name, remarks }) =>
    Object.entries(remarks ?? {}).map(
      ([subject, remark]) => `- ${subject}, ${name}: ${firstLine(remark)}`,
    ),
  );
  return lines.length === 0 ? [] : [[...new Set(lines)].join("\n")];
}

/** Without paths, which are of one machine and one run. */
function firstLine(text: string): string {
  const [line = ""] = text.split("\n", 1);
  return line.replaceAll(/\/[\w.@-]+(?:\/[\w.@-]+)+/g, "…").slice(0, 200);
}

function formatGoals({ goals }: Findings): string {
  return formatTable([
    ["goal", "bound", "found", "met"],
    ...goals.map(({ id, bound, found, isMet }) => [id, bound, found, isMet ? "yes" : "**no**"]),
  ]);
}
