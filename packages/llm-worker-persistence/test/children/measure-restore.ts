// Writes a session of 100 items a run, or restores it, and prints as JSON what that took.
// Arguments: directory, "write" or "restore", number of runs.
import { defineTool, type Event, type LlmRequest, type Provider, Worker } from "llm-worker";
import { FsSessionStore, Session } from "../../src/index.js";

const CALLS_PER_RUN = 49;
const [, , directory = "", mode = "", runs = ""] = process.argv;
const sessions = new FsSessionStore(directory, { durability: "none" });
const tool = defineTool({
  name: "work",
  description: "Works.",
  input: { type: "object" },
  execute: (_input, { callId }) => `output of ${callId}\n`.repeat(30),
});

let asked = 0;
const provider: Provider = {
  name: "counting",
  model: "counting-1",
  async *stream(_request: LlmRequest) {
    const isLast = asked++ % (CALLS_PER_RUN + 1) === CALLS_PER_RUN;
    const events: readonly Event[] = isLast
      ? [
          { type: "block_start", index: 0, kind: "text" },
          { type: "block_delta", index: 0, text: "done" },
        ]
      : [{ type: "block_start", index: 0, kind: "tool_use", callId: `c${asked}`, name: "work" }];
    yield [
      ...events,
      { type: "block_stop", index: 0 },
      {
        type: "status",
        status: "response_finished",
        stop: { reason: isLast ? "end" : "tool_use" },
      },
    ];
  },
};
const deps = { provider, tools: [tool] };

async function write(): Promise<{ readonly itemCount: number }> {
  const worker = new Worker(deps);
  const session = await Session.start(sessions, worker, { id: "long" });
  for (let run = 0; run < Number(runs); run += 1) await worker.run(`run ${run}`);
  await session.close();
  return { itemCount: worker.items.length };
}

async function restore(): Promise<{ readonly itemCount: number }> {
  const session = await Session.open(sessions, "long");
  const worker = Worker.restore(session.snapshot, deps);
  await session.attach(worker);
  return { itemCount: worker.items.length };
}

await Session.start(sessions, new Worker(deps), { id: `warm-up-${process.pid}` });
const idle = process.memoryUsage().rss;
const startedAtMs = performance.now();
const { itemCount } = await (mode === "write" ? write() : restore());
const milliseconds = performance.now() - startedAtMs;
// Not the peak that the system keeps: a process inherits that of the one that started it.
const grown = process.memoryUsage().rss - idle;
process.stdout.write(`${JSON.stringify({ itemCount, milliseconds, grown })}\n`);
