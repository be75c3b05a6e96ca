import type {
  Event,
  Item,
  LlmRequest,
  Provider,
  Scheme,
  StreamOptions,
  ToolResultItem,
} from "llm-worker";
import type { Trace, TraceBlock } from "./trace.js";
import type { WireMeter } from "./wire-meter.js";

/**
 * How often the model looks at an output that the history holds only a summary of. Recorded models
 * never did: they had everything inline.
 *
 * - `never`: the lower bound.
 * - `unseen`: once, for each output that it has not had before it whole.
 * - `every`: once, for each output that is not before it whole any more: the upper bound.
 */
export type Looks = "never" | "unseen" | "every";

export interface ReplayOptions {
  readonly trace: Trace;
  readonly scheme: Scheme;
  readonly meter: WireMeter;
  readonly looks: Looks;
}

/** Answers each request as the recorded model did, and measures what would go on the wire. */
export class ReplayingProvider implements Provider {
  readonly name: string;
  readonly model: string;
  readonly #options: ReplayOptions;
  /** The recorded request that is answered next. */
  #next = 0;
  #lookCount = 0;
  readonly #seenWhole = new Set<string>();
  readonly #lookedAt = new Set<string>();

  constructor(options: ReplayOptions) {
    this.#options = options;
    this.name = options.scheme.name;
    this.model = options.scheme.model;
  }

  get nextRequest(): number {
    return this.#next;
  }

  async *stream(
    request: LlmRequest,
    options: StreamOptions = {},
  ): AsyncGenerator<readonly Event[], void, undefined> {
    const { scheme, meter } = this.#options;
    const body = String(scheme.buildRequest(request).body);
    const { tokens, cachedTokens } = meter.addRequest(body);
    options.onRequest?.({ bodyBytes: Buffer.byteLength(body) });
    const blocks = this.#answer(request.items);
    for (const block of blocks) meter.addOutput(writtenText(block));
    yield [
      ...blocks.flatMap(blockEvents),
      { type: "usage", usage: { inputTokens: tokens, cacheReadTokens: cachedTokens } },
      {
        type: "status",
        status: "response_finished",
        stop: { reason: blocks.some((block) => block.type === "tool_use") ? "tool_use" : "end" },
      },
    ];
  }

  #answer(items: readonly Item[]): readonly TraceBlock[] {
    const looks = this.#looksAt(items);
    if (looks.length > 0) return looks;
    const answer = this.#options.trace.answers[this.#next] ?? [];
    this.#next += 1;
    return answer;
  }

  #looksAt(items: readonly Item[]): TraceBlock[] {
    const { looks } = this.#options;
    if (looks === "never") return [];
    const calls: TraceBlock[] = [];
    for (const item of items) {
      if (item.type !== "tool_result" || this.#lookedAt.has(item.callId)) continue;
      const { callId, content } = item;
      const look = content === undefined ? lookAt(item) : undefined;
      if (content !== undefined) this.#seenWhole.add(callId);
      if (look === undefined) continue;
      this.#lookedAt.add(callId);
      if (looks === "unseen" && this.#seenWhole.has(callId)) continue;
      this.#lookCount += 1;
      calls.push({ type: "tool_use", callId: `look_${this.#lookCount}`, ...look });
    }
    return calls;
  }
}

/** The call that reads back the first part of an output, where the history has no more of it. */
function lookAt({
  blob,
  files,
}: ToolResultItem): { readonly name: string; readonly arguments: string } | undefined {
  if (blob !== undefined) {
    return { name: "inspect", arguments: JSON.stringify({ blob_id: blob.id }) };
  }
  const path = files?.[0]?.path;
  return path === undefined
    ? undefined
    : { name: "read_file", arguments: JSON.stringify({ path }) };
}

function writtenText(block: TraceBlock): string {
  return block.type === "tool_use" ? block.name + block.arguments : block.text;
}

function blockEvents(block: TraceBlock, index: number): readonly Event[] {
  const start: Event =
    block.type === "tool_use"
      ? { type: "block_start", index, kind: "tool_use", callId: block.callId, name: block.name }
      : { type: "block_start", index, kind: block.type };
  const text = block.type === "tool_use" ? block.arguments : block.text;
  return [start, { type: "block_delta", index, text }, { type: "block_stop", index }];
}
