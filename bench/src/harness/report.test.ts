import { expect, test } from "vitest";
import { formatCases, formatNumber, formatSection, toRecord } from "./report.js";
import type { Case, Findings, Measure } from "./measure.js";

const row: Case = {
  name: "1 GB",
  metric: "ms",
  medians: { limit: 2, "llm-worker": 3, fast: 1.5 },
  ratioToLimit: 1.5,
  ratioToRivals: { fast: 2 },
  rounds: 5,
  remarks: { slow: "fails: Error reading '/some/place/blobs/a.txt': Invalid string length\nat x" },
};
const other: Case = { ...row, name: "1 KB", ratioToLimit: 1.1, remarks: undefined };
const memory: Case = { ...other, metric: "added RSS MB", ratioToLimit: 30, ratioToRivals: {} };
const findings: Findings = {
  cases: [row, other, memory],
  goals: [{ id: "G9", bound: "at most 1.6 x", found: "1.50 x", isMet: true }],
  notes: ["One process each."],
};
const measure: Measure = {
  name: "stream",
  work: "A stream into files.",
  limit: "plain copy.",
  run: () => Promise.resolve(findings),
};
const record = toRecord(measure, findings, {
  isQuick: false,
  date: "2026-01-02",
  command: "npm run bench -- stream",
  machine: "Node 20",
});

test("a measure's record has one ratio of time to the limit and one to each rival", () => {
  expect(record).toMatchObject({
    name: "stream",
    ratioToLimit: 1.3,
    worstRatioToLimit: 1.5,
    ratioToRivals: { fast: 2 },
  });
});

test("a table shows raw medians, our ratio to the limit, and how many times ours a rival takes", () => {
  expect(formatCases(findings.cases).split("\n").slice(0, 3)).toEqual([
    "| ms   | limit | llm-worker |  x limit |            fast |  slow |",
    "| ---- | ----: | ---------: | -------: | --------------: | ----: |",
    "| 1 GB |     2 |          3 | **1.50** | 1.5 (0.5x ours) | fails |",
  ]);
  expect([12_345, 123.4, 0.123_456, Number.NaN].map(formatNumber)).toEqual([
    "12 345",
    "123",
    "0.123",
    "",
  ]);
});

test("a section says why a rival has no figure, without a path of the machine", () => {
  const section = formatSection(measure, record);
  expect(section).toContain("\n- slow, 1 GB: fails: Error reading '…': Invalid string length\n");
  expect(section).toContain("Measured 2026-01-02 with `npm run bench -- stream` on Node 20.");
  expect(section).toContain("| G9   | at most 1.6 x | 1.50 x | yes |");
});
