import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readTrace, type Trace } from "./trace.js";

/** The recorded sessions are not part of this repository. */
export class CorpusMissingError extends Error {
  readonly directory: string;
  constructor(directory: string, options?: ErrorOptions) {
    super(
      `there are no recorded sessions at ${directory}: set LLM_WORKER_SHARED to the shared data, ` +
        "or put it beside the repository",
      options,
    );
    this.name = "CorpusMissingError";
    this.directory = directory;
  }
}

/** Where the sessions are: in the shared data that the environment names, or beside the checkout. */
export function traceDirectory(env: NodeJS.ProcessEnv): string {
  const shared =
    env["LLM_WORKER_SHARED"] ?? fileURLToPath(new URL("../../../../shared", import.meta.url));
  return join(shared, "corpus", "traces");
}

/**
 * Reads all sessions, by name.
 *
 * @throws CorpusMissingError if there is no such directory
 */
export async function readTraces(directory: string): Promise<readonly Trace[]> {
  const names = await readdir(directory).catch((cause: unknown) => {
    throw new CorpusMissingError(directory, { cause });
  });
  const files = names.filter((name) => /\.jsonl(\.gz)?$/.test(name)).toSorted();
  return Promise.all(files.map((name) => readTrace(join(directory, name))));
}
