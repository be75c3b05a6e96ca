import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";

const REPOSITORY = new URL("../../../", import.meta.url);
const PACKAGES = await readdir(new URL("packages", REPOSITORY));

test.each(["README.md", ...PACKAGES.map((name) => `packages/${name}/README.md`)])(
  "each program in %s is one that compiles",
  async (readme) => {
    const programs = await compiledPrograms();
    const text = await readFile(new URL(readme, REPOSITORY), "utf8");
    const shown = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, program]) => program);
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.filter((program) => !programs.has(program))).toEqual([]);
  },
);

async function compiledPrograms(): Promise<ReadonlySet<string | undefined>> {
  const directory = new URL("readme/", import.meta.url);
  const files = await readdir(directory);
  const own = await Promise.all(files.map((file) => readFile(new URL(file, directory), "utf8")));
  // This one is also run, where it is.
  const children = new URL("packages/llm-worker-persistence/test/children/", REPOSITORY);
  const run = await readFile(new URL("shortest-program.ts", children), "utf8");
  return new Set([...own, run.replace("../../src/index.js", "llm-worker-persistence")]);
}
