import { run } from "./run.js";

/** Runs the command line of this process, and leaves its exit code. */
export async function runProcess(): Promise<void> {
  const interrupt = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.once(name, () => interrupt.abort(new Error(`ended by ${name}`)));
  }
  // Whoever reads has seen enough: `llm-worker-blobs walk ID | head`.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
  const { stdin, stdout, stderr } = process;
  const { signal } = interrupt;
  process.exitCode = await run(process.argv.slice(2), { stdin, stdout, stderr, signal });
}
