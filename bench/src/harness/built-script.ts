import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const BUILT = new URL("../../dist/", import.meta.url);

/** Whether this package has been built; tests that start processes of their own need it. */
export const isBuilt: boolean = existsSync(fileURLToPath(new URL("main.js", BUILT)));
/** Ends the title of such a test. */
export const skippedWhen: string = isBuilt ? "" : " (skipped: not built)";

/**
 * The compiled form of a script of this package, such as `stream/child.js`: Node runs that, also
 * where the measure itself runs from its source.
 *
 * @throws Error if it has not been built
 */
export function builtScript(name: string): URL {
  const script = new URL(name, BUILT);
  if (existsSync(fileURLToPath(script))) return script;
  throw new Error(`there is no ${name}: build this package first (turbo run build --filter=bench)`);
}
