import type { Event, LlmErrorInfo, StopInfo, Usage } from "../model/event.js";
import { type Item, messageText } from "../model/item.js";
import type { LlmRequest } from "../model/request.js";
import { collectItems } from "../timeline/collectors.js";
import { Timeline } from "../timeline/timeline.js";
import { buildRequest } from "./build-request.js";
import type { RunContext } from "./run-context.js";
import { readBatches } from "./read-batches.js";
import { addUsage, mergeUsage } from "./usage.js";

/** How one model call ended. */
export type ModelAnswer =
  | { readonly type: "answered"; readonly items: readonly Item[]; readonly stop: StopInfo }
  /** The run was aborted: `items` is what can stay in a history. */
  | { readonly type: "aborted"; readonly items: readonly Item[] }
  | {
      readonly type: "failed";
      readonly error: LlmErrorInfo;
      readonly partialItems: readonly Item[];
    };

/** Sends the items to the model, reports its events as they come and collects its answer. */
export async function askModel(run: RunContext, items: readonly Item[]): Promise<ModelAnswer> {
  const { provider } = run.deps;
  const timeline = new Timeline();
  const slots = collectItems(timeline);
  let usage: Usage = {};
  let stop: StopInfo | undefined;
  let error: LlmErrorInfo | undefined;

  const take = (event: Event): void => {
    timeline.dispatch(event);
    if (event.type === "usage") usage = mergeUsage(usage, event.usage);
    else if (event.type === "error") error = event.error;
    else if (event.type === "status" && event.status === "response_finished") stop = event.stop;
    run.emit(event);
  };

  const request = buildRequest(run.state, run.deps.tools, items);
  reportPrefixChange(run, request);
  const events = provider.stream(request, {
    signal: run.signal,
    onRequest: ({ bodyBytes }) =>
      run.emit({ type: "request", turn: run.turn, bodyBytes, itemCount: items.length }),
  });
  try {
    await readBatches(events, run.signal, (batch) => {
      for (const event of batch) take(event);
      return run.drained();
    });
  } finally {
    for (const index of timeline.openBlocks) {
      take({ type: "block_abort", index, reason: "the stream was left" });
    }
    run.usage = addUsage(run.usage, usage);
    run.deps.estimator.correct(request, usage.inputTokens ?? 0);
  }

  if (run.signal.aborted) {
    return { type: "aborted", items: continuable(slots.itemsWithPartialText) };
  }
  if (error !== undefined) {
    return { type: "failed", error, partialItems: slots.itemsWithPartialText };
  }
  if (stop === undefined) {
    const message = `the ${provider.name} provider ended its stream without saying why`;
    return {
      type: "failed",
      error: { code: "protocol", message, retryable: false },
      partialItems: slots.itemsWithPartialText,
    };
  }
  return { type: "answered", items: slots.items, stop };
}

/**
 * What of an aborted answer can be sent again: whole blocks and the text that had arrived, without
 * blank text and without reasoning at the end, which providers refuse when nothing follows it.
 */
function continuable(items: readonly Item[]): readonly Item[] {
  const kept = items.filter((item) => item.type !== "message" || messageText(item).trim() !== "");
  while (kept.at(-1)?.type === "reasoning" || kept.at(-1)?.type === "opaque") kept.pop();
  return kept;
}

function reportPrefixChange(run: RunContext, request: LlmRequest): void {
  const change = run.deps.prefix.observe(request);
  if (change === undefined) return;
  const { firstItem, resentItemCount } = change;
  let estimatedTokens = 0;
  for (const item of request.items.slice(firstItem, firstItem + resentItemCount)) {
    estimatedTokens += run.deps.estimator.item(item);
  }
  run.emit({ type: "prefix_changed", ...change, estimatedTokens: Math.round(estimatedTokens) });
}
