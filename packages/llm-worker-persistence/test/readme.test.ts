import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { buildChildProgram } from "./child-program.js";
import { tempDirectory } from "./temp-directory.js";

test("the program in the README is the one that is tested here, and it runs", async () => {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const source = await readFile(new URL("./children/shortest-program.ts", import.meta.url), "utf8");
  expect(readme).toContain(source.replace("../../src/index.js", "llm-worker-persistence"));

  const directory = await tempDirectory();
  const { path } = await buildChildProgram("shortest-program", directory);
  const { stdout } = await promisify(execFile)(process.execPath, [path], { cwd: directory });
  expect(stdout).toMatch(/^[0-9a-f-]{36} has 2 lines and begins with "first line"\n$/);
});
