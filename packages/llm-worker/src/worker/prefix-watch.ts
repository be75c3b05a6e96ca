import type { Item } from "../model/item.js";
import type { LlmRequest, ToolDefinition } from "../model/request.js";
import { isSameItem } from "./same-item.js";

/** What of the bytes sent before is no longer the same. */
export interface PrefixChange {
  readonly what: "system_prompt" | "tools" | "items";
  /** The first item that is different or gone; 0 if system prompt or tools are. */
  readonly firstItem: number;
  /** How many items of the last request the provider's cache no longer covers. */
  readonly resentItemCount: number;
}

/** Notices when a request does not begin with the whole of the one before. */
export class PrefixWatch {
  #last: Sent | undefined;

  /** Compares a request with the last one and remembers it. What is the same object costs next to nothing. */
  observe(request: LlmRequest): PrefixChange | undefined {
    const { systemPrompt, tools, items } = request;
    const last = this.#last;
    this.#last = { systemPrompt, tools, items, itemCount: items.length };
    if (last === undefined) return undefined;
    const wholeHistory = { firstItem: 0, resentItemCount: last.itemCount };
    if (!areSameTools(last.tools, tools)) return { what: "tools", ...wholeHistory };
    if (last.systemPrompt !== systemPrompt) return { what: "system_prompt", ...wholeHistory };
    const firstItem = firstDifference(last, items);
    if (firstItem === last.itemCount) return undefined;
    return { what: "items", firstItem, resentItemCount: last.itemCount - firstItem };
  }
}

interface Sent {
  readonly systemPrompt: string | undefined;
  readonly tools: readonly ToolDefinition[];
  readonly items: readonly Item[];
  /** The history grows in place, so its length is remembered. */
  readonly itemCount: number;
}

function firstDifference(last: Sent, items: readonly Item[]): number {
  // The same array has only been appended to since.
  if (last.items === items) return last.itemCount;
  let i = 0;
  while (i < last.itemCount && isSameItem(last.items[i], items[i])) i += 1;
  return i;
}

function areSameTools(
  before: readonly ToolDefinition[],
  after: readonly ToolDefinition[],
): boolean {
  return (
    before.length === after.length &&
    before.every((tool, i) => {
      const other = after[i];
      return (
        tool.name === other?.name &&
        tool.description === other.description &&
        tool.inputSchema === other.inputSchema
      );
    })
  );
}
