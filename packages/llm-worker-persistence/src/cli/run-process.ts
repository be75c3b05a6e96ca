import { run } from "./run.js";
import { PROGRAM } from "./usage.js";

/** Runs the command line of this process, and leaves its exit code. */
export async function runProcess(): Promise<void> {
  const interrupt = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.once(name, () => interrupt.abort(new Error(`ended by ${name}`)));
  }
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // Whoever reads has seen enough: `llm-worker-blobs walk ID | head`.
    if (error.code === "EPIPE") process.exit(0);
    process.stderr.write(`${PROGRAM}: standard output cannot be written: ${error.message}\n`);
    process.exit(1);
  });
  const { stdin, stdout, stderr } = process;
  const { signal } = interrupt;
  process.exitCode = await run(process.argv.slice(2), { stdin, stdout, stderr, signal });
}
