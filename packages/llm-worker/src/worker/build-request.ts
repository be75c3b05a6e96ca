import type { Item } from "../model/item.js";
import type { LlmRequest } from "../model/request.js";
import type { ToolServer } from "../tool/tool-server.js";
import type { WorkerState } from "./state.js";

/**
 * The next request: `items` in the place of the history, everything else from the state. The items
 * are handed on as they are, not copied; whoever keeps them beyond the request copies them.
 */
export function buildRequest(
  state: WorkerState,
  tools: ToolServer,
  items: readonly Item[],
): LlmRequest {
  const isLocked = state.phase === "cache_locked";
  return {
    ...(state.systemPrompt === undefined ? {} : { systemPrompt: state.systemPrompt }),
    tools: tools.definitions,
    items,
    ...(state.generation === undefined ? {} : { generation: state.generation }),
    ...(isLocked ? { lockedItemCount: state.lockedItemCount } : {}),
  };
}
