import { open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { FsBlobStore } from "llm-worker-persistence";
import { serveCalls } from "../harness/child.js";
import { measureUsage } from "../harness/usage.js";
import { fileHolds } from "../samples/same-bytes.js";
import { logText } from "../samples/log-text.js";

/** Many small blobs to be stored. */
export interface BlobsJob {
  readonly count: number;
  readonly byteCount: number;
  /** How many are under way at a time. */
  readonly atATime: number;
  readonly durability: "fsync" | "none";
  /** An empty directory of the job's own. */
  readonly directory: string;
}

serveCalls({
  /** `store` of the store of files. */
  product: async (job: BlobsJob) => {
    const text = logText(job.byteCount);
    const store = new FsBlobStore(job.directory, { durability: job.durability });
    const ids: string[] = [];
    const figures = await measure(job, async () => {
      ids.push(await store.store({ type: "text", text }));
    });
    const blobs = join(job.directory, "blobs");
    await check(
      blobs,
      ids.map((id) => `${id}.txt`),
      text,
    );
    return figures;
  },

  /** The same bytes to a temporary file, renamed; the calls of `fs` and nothing else. */
  "bare loop": async (job: BlobsJob) => {
    const text = logText(job.byteCount);
    const bytes = Buffer.from(text);
    const names: string[] = [];
    const sync = sharedSync(job.directory);
    const figures = await measure(job, async () => {
      const name = `${names.length}.txt`;
      names.push(name);
      const path = join(job.directory, name);
      const file = await open(`${path}.tmp`, "wx", 0o600);
      await file.write(bytes);
      if (job.durability === "fsync") await file.sync();
      await file.close();
      await rename(`${path}.tmp`, path);
      if (job.durability === "fsync") await sync();
    });
    await check(job.directory, names, text);
    return figures;
  },
});

/** Runs a task for each blob, as many at a time as the job says. */
async function measure(
  { count, atATime }: BlobsJob,
  task: () => Promise<void>,
): Promise<Readonly<Record<string, number>>> {
  let left = count;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await task();
    }
  };
  const { usage } = await measureUsage(() => Promise.all(Array.from({ length: atATime }, work)));
  return { ms: usage.wallMs, "CPU ms": usage.cpuMs };
}

/** Makes the names in a directory durable; who comes while that is under way shares the next. */
function sharedSync(path: string): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () =>
    (next ??= last = last.then(async () => {
      next = undefined;
      const directory = await open(path);
      await directory.sync();
      await directory.close();
    }));
}

/** Each file has the text, and there are no others; then removes them. */
async function check(directory: string, names: readonly string[], text: string): Promise<void> {
  const found = await readdir(directory);
  if (found.length !== names.length) throw new Error(`${found.length} files`);
  for (const name of names) {
    if (!(await fileHolds(join(directory, name), text))) throw new Error("not the same bytes");
    await rm(join(directory, name));
  }
}
