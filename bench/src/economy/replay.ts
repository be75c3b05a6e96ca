import { AnthropicScheme } from "@llm-worker/providers-anthropic";
import { type Item, type Tool, userMessage, Worker } from "llm-worker";
import { type Reachability, checkReachability } from "./reachability.js";
import { type Looks, ReplayingProvider } from "./replaying-provider.js";
import type { Setup } from "./setups.js";
import type { Trace, TracePrompt } from "./trace.js";
import { type WireFigures, WireMeter } from "./wire-meter.js";

/** What one session has come to under one setup. */
export interface SessionFigures extends WireFigures {
  readonly session: string;
  /** Requests that change bytes which were sent before. */
  readonly cacheBreaks: number;
  /** Absent where the setup keeps nothing that could be read back. */
  readonly reachability?: Reachability | undefined;
}

/** Any model name does: it is the same bytes in each request. */
const MODEL = "replayed-1";

/** Runs a recorded session through a real Worker, with recorded answers and recorded tool outputs. */
export async function replay(trace: Trace, setup: Setup, looks: Looks): Promise<SessionFigures> {
  const meter = new WireMeter();
  // Cache marks move from request to request and are not part of what the cache compares.
  const scheme = new AnthropicScheme({ model: MODEL, cache: "off" });
  const provider = new ReplayingProvider({ trace, scheme, meter, looks });
  const { deps, loadStored } = setup.open();
  const prompts = new PromptQueue(trace);
  const worker = new Worker({
    ...deps,
    provider,
    tools: trace.toolNames.map((name) => replayingTool(name, trace)),
    systemPrompt: trace.systemPrompt,
    items: prompts.until(0),
    limits: { maxTurns: Number.MAX_SAFE_INTEGER },
  });
  worker.hook("postToolCall", ({ callId, output }) =>
    trace.outputs.get(callId)?.isError === true ? { output, isError: true } : undefined,
  );
  if (setup.beforeRequest !== undefined) worker.hook("preLlmRequest", setup.beforeRequest);
  worker.hook("onTurnEnd", ({ willContinue }) => {
    if (provider.nextRequest >= trace.requestCount) return { stop: "replayed" };
    const items = prompts.until(provider.nextRequest);
    return items.length === 0 && willContinue ? undefined : { continueWith: items };
  });
  let cacheBreaks = 0;
  worker.onEvent((event) => {
    if (event.type === "prefix_changed") cacheBreaks += 1;
  });
  await worker.run();
  const reachability = loadStored && (await checkReachability(worker.items, trace, loadStored));
  return { session: trace.name, ...meter.figures, cacheBreaks, reachability };
}

/** The user's messages, in order, each once it is due. */
class PromptQueue {
  readonly #prompts: readonly TracePrompt[];
  #taken = 0;

  constructor({ prompts }: Trace) {
    this.#prompts = prompts;
  }

  /** Those that a request sends first, and those before it that were not taken yet. */
  until(request: number): readonly Item[] {
    const start = this.#taken;
    while ((this.#prompts[this.#taken]?.request ?? Infinity) <= request) this.#taken += 1;
    return this.#prompts.slice(start, this.#taken).map(({ text }) => userMessage(text));
  }
}

/** Definitions were not recorded: each tool takes any object. */
function replayingTool(name: string, trace: Trace): Tool {
  return {
    name,
    description: "",
    inputSchema: { type: "object" },
    validate: (input) => ({ ok: true, input }),
    execute: (_input, { callId }) => trace.outputs.get(callId)?.text ?? "",
  };
}
