import { tmpdir } from "node:os";
import process from "node:process";
import { spawnScriptedModel } from "scripted-model";
import { runDemo } from "./demo.js";
import { Interruption } from "./demo-error.js";

/** As a shell reports a process that a signal has ended: 128 and the signal's number. */
const SIGNAL_EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
const CLOSED_OUTPUT_EXIT_CODE = 141;

const aborting = new AbortController();
for (const [name, exitCode] of Object.entries(SIGNAL_EXIT_CODES)) {
  // Stays: npm and the terminal may each send the signal, and the second must not cut the tidying.
  process.on(name, () => aborting.abort(new Interruption("interrupted", exitCode)));
}
process.stdout.on("error", () => {
  aborting.abort(new Interruption("the reader of the output is gone", CLOSED_OUTPUT_EXIT_CODE));
});
// Nobody is left to be told.
process.stderr.on("error", () => undefined);

const exitCode = await runDemo(process.argv.slice(2), {
  write: (text) => process.stdout.write(text),
  writeError: (text) => process.stderr.write(text),
  isTerminal: process.stdout.isTTY === true,
  env: process.env,
  // npm runs scripts in the package's directory and tells here where it was called.
  currentDirectory: process.env["INIT_CWD"] ?? process.cwd(),
  temporaryDirectory: tmpdir(),
  startModel: spawnScriptedModel,
  signal: aborting.signal,
});
process.stdout.write("", () => process.exit(exitCode));
