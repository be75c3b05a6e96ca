import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { type Phase, Worker, type WorkerDeps } from "llm-worker";
import { FsBlobStore, FsSessionStore, Session, SessionError } from "../../src/index.js";
import { countingProvider, workTool } from "./counting-run.js";

/**
 * The same as `snapshotting-run`, with the log of a session in the place of snapshots. A call counts
 * as finished when the worker says so, which it does when the result is in the log.
 */
const [directory = "."] = process.argv.slice(2);
const logPath = join(directory, "calls.log");
const sessions = new FsSessionStore(directory, { durability: "none" });
const deps: WorkerDeps = {
  provider: countingProvider,
  tools: [workTool(logPath)],
  store: new FsBlobStore(directory, { durability: "none" }),
};

async function open(): Promise<Worker<Phase>> {
  try {
    const session = await Session.open(sessions, "run");
    const worker = Worker.restore(session.snapshot, deps);
    await session.attach(worker);
    return worker;
  } catch (error) {
    if (!(error instanceof SessionError) || error.code !== "not_found") throw error;
    const worker = new Worker(deps);
    await Session.start(sessions, worker, { id: "run" });
    return worker;
  }
}

process.stdout.write("ready\n");
const worker = await open();
worker.onEvent((event) => {
  if (event.type === "tool_end") appendFileSync(logPath, `finished ${event.callId}\n`);
});
if (worker.pauseReason !== undefined) await worker.resume();
else await worker.run(worker.items.length === 0 ? "work" : undefined);
process.stdout.write("done\n");
