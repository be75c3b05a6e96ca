import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

test("the figures in the README are those of the results, row by row", () => {
  const results = new Set(read("../RESULTS.md").split("\n"));
  const section = /^## Measured$([\s\S]*?)^## /m.exec(read("../../README.md"))?.[1] ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("|"));
  expect(rows.length).toBeGreaterThan(6);
  expect(rows.filter((row) => !results.has(row))).toEqual([]);
});
