import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Phase, Worker, type WorkerDeps, type WorkerSnapshot } from "llm-worker";
import { FsBlobStore } from "../../src/fs-blob-store.js";
import { countingProvider, workTool } from "./counting-run.js";

/**
 * Runs one session to its end, from where the last process left it: `DIRECTORY` holds the snapshot,
 * the blobs, and a log of the calls that were begun and of those that were saved as finished.
 * Prints `ready`, and `done` at the end. Made to be killed at any moment.
 */
const [directory = "."] = process.argv.slice(2);
const snapshotPath = join(directory, "snapshot.json");
const logPath = join(directory, "calls.log");

function save(worker: Worker<Phase>): void {
  writeFileSync(`${snapshotPath}.tmp`, JSON.stringify(worker.snapshot()));
  renameSync(`${snapshotPath}.tmp`, snapshotPath);
}

const deps: WorkerDeps = {
  provider: countingProvider,
  tools: [workTool(logPath)],
  store: new FsBlobStore(directory, { durability: "none" }),
};

function restore(): Worker<Phase> {
  if (!existsSync(snapshotPath)) return new Worker(deps);
  return Worker.restore(JSON.parse(readFileSync(snapshotPath, "utf8")) as WorkerSnapshot, deps);
}

const worker = restore();
worker.onEvent((event) => {
  if (event.type === "item_added") save(worker);
  if (event.type !== "tool_end") return;
  save(worker);
  appendFileSync(logPath, `finished ${event.callId}\n`);
});
process.stdout.write("ready\n");
if (worker.pauseReason !== undefined) await worker.resume();
else await worker.run(worker.items.length === 0 ? "work" : undefined);
process.stdout.write("done\n");
