import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

test("the lines about wrappers in the README are those that are type-checked here", async () => {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const source = await readFile(new URL("./children/wrappers-program.ts", import.meta.url), "utf8");
  const shown = source.replace("../../src/index.js", "llm-worker-persistence");
  expect(readme).toContain(shown.replace("export { shared, store };", "").trim());
});
