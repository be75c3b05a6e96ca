import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  defineTool,
  type Event,
  type LlmRequest,
  type Phase,
  type Provider,
  Worker,
  type WorkerDeps,
  type WorkerSnapshot,
} from "llm-worker";
import { FsBlobStore } from "../../src/fs-blob-store.js";

/**
 * Runs one session to its end, from where the last process left it: `DIRECTORY` holds the snapshot,
 * the blobs, and a log of the calls that were begun and of those that were saved as finished.
 * Prints `ready`, and `done` at the end. Made to be killed at any moment.
 */
const [directory = "."] = process.argv.slice(2);
const snapshotPath = join(directory, "snapshot.json");
const logPath = join(directory, "calls.log");
const TURNS = 5;
const CALLS_PER_TURN = 3;

function log(line: string): void {
  appendFileSync(logPath, `${line}\n`);
}

function save(worker: Worker<Phase>): void {
  writeFileSync(`${snapshotPath}.tmp`, JSON.stringify(worker.snapshot()));
  renameSync(`${snapshotPath}.tmp`, snapshotPath);
}

/** A model that knows from the history alone what comes next. */
const provider: Provider = {
  name: "counting",
  model: "counting-1",
  async *stream({ items }: LlmRequest) {
    await sleep(1);
    const turn = items.filter(({ type }) => type === "tool_result").length / CALLS_PER_TURN;
    yield turn < TURNS ? callsOf(turn) : says("all done");
  },
};

function callsOf(turn: number): readonly Event[] {
  const events: Event[] = [];
  for (let index = 0; index < CALLS_PER_TURN; index += 1) {
    events.push(
      { type: "block_start", index, kind: "tool_use", callId: `t${turn}_${index}`, name: "work" },
      { type: "block_stop", index },
    );
  }
  return [...events, { type: "status", status: "response_finished", stop: { reason: "tool_use" } }];
}

function says(text: string): readonly Event[] {
  return [
    { type: "block_start", index: 0, kind: "text" },
    { type: "block_delta", index: 0, text },
    { type: "block_stop", index: 0 },
    { type: "status", status: "response_finished", stop: { reason: "end" } },
  ];
}

const work = defineTool({
  name: "work",
  description: "Works for a moment and returns a large output.",
  input: { type: "object" },
  async execute(_input, { callId }) {
    log(`begun ${callId}`);
    await sleep(Number(callId.at(-1)) * 2);
    return `output of ${callId}\n`.repeat(200);
  },
});

const deps: WorkerDeps = {
  provider,
  tools: [work],
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
  log(`finished ${event.callId}`);
});
process.stdout.write("ready\n");
if (worker.pauseReason !== undefined) await worker.resume();
else await worker.run(worker.items.length === 0 ? "work" : undefined);
process.stdout.write("done\n");
