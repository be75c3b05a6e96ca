import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { buildChildProgram } from "./child-program.js";
import { tempDirectory } from "./temp-directory.js";

test("a store of files works under the permission model of Node", async () => {
  const directory = await tempDirectory();
  const { path } = await buildChildProgram("shortest-program", directory);
  const name = process.allowedNodeEnvironmentFlags.has("--permission")
    ? "--permission"
    : "--experimental-permission";
  const flags = [name, "--allow-fs-read=*", `--allow-fs-write=${directory}`];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, path], {
    cwd: directory,
  });
  expect(stdout).toMatch(/ has 2 lines and begins with "first line"\n$/);
});
