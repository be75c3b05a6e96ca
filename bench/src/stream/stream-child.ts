import { open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { lazyLoad, leanLimits } from "llm-worker";
import { FsBlobStore } from "llm-worker-persistence";
import { serveCalls } from "../harness/child.js";
import { measureUsage, type Usage } from "../harness/usage.js";
import { holdsStream } from "./holds-stream.js";
import { PieceStream } from "./pieces.js";

/** A stream to be stored. */
export interface StreamJob {
  readonly byteCount: number;
  readonly durability: "fsync" | "none";
  /** An empty directory of the job's own. */
  readonly directory: string;
}

serveCalls({
  /** What a worker does with a tool that streams, into a store of files. */
  product: async ({ byteCount, durability, directory }: StreamJob) => {
    const pieces = new PieceStream(byteCount);
    const store = new FsBlobStore(directory, { durability });
    const call = { callId: "call-1", toolName: "run", isError: false, store } as const;
    const context = { ...call, limits: leanLimits, report: () => undefined };
    const policy = lazyLoad();
    globalThis.gc?.();
    const { result, usage } = await measureUsage(() => policy.apply(pieces.chunks(), context));
    const facts = `text | ${pieces.lineCount} lines | ${byteCount} bytes`;
    if (!result.summary.includes(facts)) throw new Error(`not the totals: ${result.summary}`);
    const blobs = join(directory, "blobs");
    await check(join(blobs, `${result.blob?.id}.txt`), pieces);
    for (const name of await readdir(blobs)) await rm(join(blobs, name));
    return figuresOf(usage);
  },

  /** The same pieces to a file, and nothing else. */
  copy: async ({ byteCount, durability, directory }: StreamJob) => {
    const pieces = new PieceStream(byteCount);
    const path = join(directory, "copy.txt");
    globalThis.gc?.();
    const { usage } = await measureUsage(async () => {
      const file = await open(path, "wx");
      for await (const piece of pieces.chunks()) await file.write(piece);
      if (durability === "fsync") await file.sync();
      await file.close();
    });
    await check(path, pieces);
    await rm(path);
    return figuresOf(usage);
  },
});

function figuresOf({
  wallMs,
  cpuMs,
  addedRssMb,
  peakRssMb,
}: Usage): Readonly<Record<string, number>> {
  return { ms: wallMs, "CPU ms": cpuMs, "added RSS MB": addedRssMb, "process RSS MB": peakRssMb };
}

async function check(path: string, pieces: PieceStream): Promise<void> {
  if (!(await holdsStream(path, pieces))) throw new Error("not the same bytes");
}
