import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

test.each([
  ["../../../README.md", "whole-program"],
  ["../../../packages/llm-worker/README.md", "shortest-program"],
])("the program in %s is one that compiles", async (readme, program) => {
  const text = await readFile(new URL(readme, import.meta.url), "utf8");
  const source = await readFile(new URL(`readme/${program}.ts`, import.meta.url), "utf8");
  expect(text).toContain(`\`\`\`ts\n${source}\`\`\`\n`);
});
