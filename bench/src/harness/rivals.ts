import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const RIVALS = new URL("../../rivals/", import.meta.url);

/** Whether the rivals are installed; `npm run bench` does it, the plain test command does not. */
export function hasRivals(): boolean {
  return existsSync(fileURLToPath(new URL("node_modules", RIVALS)));
}

/** The script in `bench/rivals/` of this name, a child process to call. */
export function rivalScript(name: string): URL {
  return new URL(name, RIVALS);
}

/** Exact versions of the rivals, as `bench/rivals/package.json` pins them. */
export function rivalVersions(): Readonly<Record<string, string>> {
  const manifest = JSON.parse(readFileSync(new URL("package.json", RIVALS), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  return manifest.dependencies;
}
