import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { FIRST_ANSWER } from "./first-answer.js";
import { PROBE } from "./import-cost.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const run = promisify(execFile);

/** A project of a user who has installed what we publish. */
export interface UserProject {
  readonly directory: string;
  /** The import probe within the project. */
  readonly probe: string;
  /** The script that asks for an answer, within the project. */
  readonly firstAnswer: string;
  remove(): Promise<void>;
}

/**
 * Packs our built packages as `pnpm publish` would, and installs all of them with npm in an empty
 * project.
 *
 * @throws Error if packing or installing fails
 */
export async function installPublished(): Promise<UserProject> {
  const directory = await mkdtemp(join(tmpdir(), "llm-worker-start-"));
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    const manifest = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as {
      readonly packageManager: string;
    };
    const pack = ["-r", "--filter", "./packages/*", "pack", "--pack-destination", directory];
    await run("npx", ["--yes", manifest.packageManager, ...pack], { cwd: ROOT });
    const tarballs = await readdir(directory);
    await writeFile(join(directory, "package.json"), '{ "private": true, "type": "module" }\n');
    const quiet = ["--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts"];
    const files = tarballs.map((name) => join(directory, name));
    await run("npm", ["install", ...quiet, ...files], { cwd: directory });
    const probe = join(directory, "import-cost.mjs");
    const firstAnswer = join(directory, "first-answer.mjs");
    await copyFile(PROBE, probe);
    await copyFile(FIRST_ANSWER, firstAnswer);
    return { directory, probe, firstAnswer, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
