import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { defineTool, type Event, type LlmRequest, type Provider, type Tool } from "llm-worker";

/** What a counting run does: so many turns of so many calls of `work`, each with an output of its own. */
export const TURNS = 5;
export const CALLS_PER_TURN = 3;

/** A model that knows from the history alone what comes next. */
export const countingProvider: Provider = {
  name: "counting",
  model: "counting-1",
  async *stream({ items }: LlmRequest) {
    await sleep(1);
    const turn = items.filter(({ type }) => type === "tool_result").length / CALLS_PER_TURN;
    yield turn < TURNS ? callsOf(turn) : says("all done");
  },
};

/** A tool that says in a log when it begins. */
export function workTool(logPath: string): Tool {
  return defineTool({
    name: "work",
    description: "Works for a moment and returns a large output.",
    input: { type: "object" },
    async execute(_input, { callId }) {
      appendFileSync(logPath, `begun ${callId}\n`);
      await sleep(Number(callId.at(-1)) * 2);
      return `output of ${callId}\n`.repeat(200);
    },
  });
}

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
