import { type FileHandle, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { lazyLoad, leanLimits } from "llm-worker";
import { FsBlobStore } from "llm-worker-persistence";
import { serveCalls } from "../harness/child.js";
import { measureUsage } from "../harness/usage.js";
import { fileHolds } from "../samples/same-bytes.js";
import { makeValue, type StoreJob } from "./jobs.js";

/** Figures of one call, by metric. */
type Figures = Readonly<Record<string, number>>;

serveCalls({
  /** What a worker does with a tool's result, into a store of files. */
  product: async (job: StoreJob): Promise<Figures> => {
    const value = valueOf(job);
    const store = new FsBlobStore(job.directory, { durability: job.durability });
    const policy = lazyLoad();
    const call = { callId: "call-1", toolName: "read_log", isError: false, store } as const;
    const context = { ...call, limits: leanLimits, report: () => undefined };
    const ids: string[] = [];
    let told = "";
    const figures = await measure(job.calls, async () => {
      const { blob, summary } = await policy.apply(value, context);
      if (blob === undefined) throw new Error(`not stored: ${summary}`);
      ids.push(blob.id);
      told = summary;
    });
    if (!told.includes(factsOf(job, value))) throw new Error(`not the totals: ${told}`);
    await checkFiles(join(job.directory, "blobs"), ids, value);
    return figures;
  },

  /** The same bytes to a file beside it, which then takes its place; the text is encoded already. */
  "temp and rename": async (job: StoreJob): Promise<Figures> => {
    const value = valueOf(job);
    const bytes = Buffer.from(value);
    let count = 0;
    const figures = await measure(job.calls, async () => {
      const path = join(job.directory, `${count++}.txt`);
      const file = await open(`${path}.tmp`, "wx", 0o600);
      await file.writeFile(bytes);
      await sealed(file, job);
      await rename(`${path}.tmp`, path);
      if (job.durability === "fsync") await syncDirectory(job.directory);
    });
    await clean(job.directory);
    return figures;
  },

  /** The string to a file, as `fs` does it. */
  writeFile: async (job: StoreJob): Promise<Figures> => {
    const value = valueOf(job);
    const path = join(job.directory, "value.txt");
    const figures = await measure(job.calls, () =>
      writeFile(path, value, { flush: job.durability === "fsync" }),
    );
    await clean(job.directory);
    return figures;
  },
});

let made: { readonly name: string; readonly value: string } | undefined;

function valueOf(job: StoreJob): string {
  const name = `${job.kind} ${job.byteCount}`;
  if (made?.name !== name) made = { name, value: makeValue(job) };
  return made.value;
}

async function measure(calls: number, call: () => Promise<void>): Promise<Figures> {
  // Where a process goes on, it would throw away compiled code too: no steady state.
  if (calls === 1) globalThis.gc?.();
  const { usage } = await measureUsage(async () => {
    for (let done = 0; done < calls; done += 1) await call();
  });
  const { wallMs, cpuMs, addedRssMb } = usage;
  // The resident size moves by more than a small value has.
  const memory = calls === 1 ? { "added RSS MB": addedRssMb } : {};
  return { ms: wallMs / calls, "CPU ms": cpuMs / calls, ...memory };
}

function factsOf({ kind }: StoreJob, value: string): string {
  const byteCount = Buffer.byteLength(value);
  if (kind === "JSON") {
    return `json_array | ${value.split('{"id":').length - 1} entries | ${byteCount} bytes`;
  }
  let lineCount = value.endsWith("\n") ? 0 : 1;
  for (let at = value.indexOf("\n"); at !== -1; at = value.indexOf("\n", at + 1)) lineCount += 1;
  return `text | ${lineCount} lines | ${byteCount} bytes`;
}

/** Of each blob one file that holds the value, and an index only where it is large. */
async function checkFiles(directory: string, ids: readonly string[], value: string): Promise<void> {
  const names = await readdir(directory);
  for (const id of ids) {
    const ofBlob = names.filter((name) => name.startsWith(id));
    const payload = ofBlob.find((name) => !name.endsWith(".index")) ?? "none";
    if (!(await fileHolds(join(directory, payload), value))) throw new Error("not the same bytes");
    const isSmall = Buffer.byteLength(value) < 256 * 1024;
    if (ofBlob.length !== (isSmall ? 1 : 2)) throw new Error(`files: ${ofBlob.join(", ")}`);
  }
  await clean(directory);
}

async function clean(directory: string): Promise<void> {
  for (const name of await readdir(directory)) await rm(join(directory, name));
}

async function sealed(file: FileHandle, { durability }: StoreJob): Promise<void> {
  if (durability === "fsync") await file.sync();
  await file.close();
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
