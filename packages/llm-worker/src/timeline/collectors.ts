import { GrowingText } from "../model/growing-text.js";
import type { Item, ProviderData } from "../model/item.js";
import { eventCallback } from "./callbacks.js";
import type { Handler } from "./handler.js";
import {
  type BlockInput,
  opaqueBlock,
  status,
  textBlock,
  thinkingBlock,
  toolUseBlock,
} from "./kinds.js";
import type { Timeline } from "./timeline.js";

/**
 * The items of one response in the order in which their blocks began, whatever the order in which
 * they end.
 */
export class ItemSlots {
  readonly #slots: Slot[] = [];

  /** Keeps a place for a block that has begun. */
  reserve(): Slot {
    const slot: Slot = { item: undefined, isComplete: false };
    this.#slots.push(slot);
    return slot;
  }

  /** Forgets what there is: the answer began anew. */
  clear(): void {
    this.#slots.length = 0;
  }

  /** Items of the blocks that were stopped. */
  get items(): Item[] {
    return this.#filled((slot) => slot.isComplete);
  }

  /** Items of all blocks, those of aborted text blocks included: their text is what had arrived. */
  get itemsWithPartialText(): Item[] {
    return this.#filled(() => true);
  }

  #filled(wanted: (slot: Slot) => boolean): Item[] {
    const items: Item[] = [];
    for (const slot of this.#slots) {
      if (slot.item !== undefined && wanted(slot)) items.push(slot.item);
    }
    return items;
  }
}

export interface Slot {
  item: Item | undefined;
  isComplete: boolean;
}

/** What the collectors remember of one open block. */
interface Collecting {
  readonly slot: Slot;
  readonly text: GrowingText;
}

/** Turns `text` blocks into assistant messages. An empty block leaves no item. */
export class TextBlockCollector implements Handler<
  BlockInput<"text">,
  Collecting & { isRefusal: boolean }
> {
  readonly slots: ItemSlots;
  constructor(slots: ItemSlots = new ItemSlots()) {
    this.slots = slots;
  }
  open(start: BlockInput<"text">): Collecting & { isRefusal: boolean } {
    const isRefusal = start.type === "block_start" && start.isRefusal === true;
    return { slot: this.slots.reserve(), text: new GrowingText(), isRefusal };
  }
  on(scope: Collecting & { isRefusal: boolean }, input: BlockInput<"text">): void {
    if (input.type === "block_delta") {
      scope.text.add(input.text);
      return;
    }
    const text = scope.text.toString().toWellFormed();
    const providerData = input.type === "block_stop" ? input.providerData : undefined;
    if (text === "" && providerData === undefined) return;
    scope.slot.item = {
      type: "message",
      role: "assistant",
      content: [{ type: "text", text, ...(scope.isRefusal ? { isRefusal: true } : {}) }],
      ...optionalProviderData(providerData),
    };
    scope.slot.isComplete = input.type === "block_stop";
  }
}

/** Turns `thinking` blocks into reasoning items. An aborted one leaves none: it has no signature. */
export class ThinkingBlockCollector implements Handler<BlockInput<"thinking">, Collecting> {
  readonly slots: ItemSlots;
  constructor(slots: ItemSlots = new ItemSlots()) {
    this.slots = slots;
  }
  open(): Collecting {
    return { slot: this.slots.reserve(), text: new GrowingText() };
  }
  on(scope: Collecting, input: BlockInput<"thinking">): void {
    if (input.type === "block_delta") scope.text.add(input.text);
    if (input.type !== "block_stop") return;
    const text = scope.text.toString().toWellFormed();
    if (text === "" && input.providerData === undefined) return;
    scope.slot.item = { type: "reasoning", text, ...optionalProviderData(input.providerData) };
    scope.slot.isComplete = true;
  }
}

/** Turns `tool_use` blocks into tool calls. An aborted one leaves none: half a call must not run. */
export class ToolCallCollector implements Handler<
  BlockInput<"tool_use">,
  Collecting & { callId: string; name: string }
> {
  readonly slots: ItemSlots;
  constructor(slots: ItemSlots = new ItemSlots()) {
    this.slots = slots;
  }
  open(start: BlockInput<"tool_use">): Collecting & { callId: string; name: string } {
    const { callId, name } = start.type === "block_start" ? start : { callId: "", name: "" };
    return { slot: this.slots.reserve(), text: new GrowingText(), callId, name };
  }
  on(scope: Collecting & { callId: string; name: string }, input: BlockInput<"tool_use">): void {
    if (input.type === "block_delta") scope.text.add(input.text);
    if (input.type !== "block_stop") return;
    scope.slot.item = {
      type: "tool_call",
      callId: scope.callId,
      name: scope.name,
      arguments: scope.text.toString().toWellFormed(),
      ...optionalProviderData(input.providerData),
    };
    scope.slot.isComplete = true;
  }
}

/** Keeps what only its provider understands, in its place. */
export class OpaqueBlockCollector implements Handler<BlockInput<"opaque">, Slot> {
  readonly slots: ItemSlots;
  constructor(slots: ItemSlots = new ItemSlots()) {
    this.slots = slots;
  }
  open(): Slot {
    return this.slots.reserve();
  }
  on(slot: Slot, input: BlockInput<"opaque">): void {
    if (input.type !== "block_stop" || input.providerData === undefined) return;
    slot.item = { type: "opaque", providerData: input.providerData };
    slot.isComplete = true;
  }
}

/** Puts all four collectors on a timeline, filling the same slots. An answer that begins anew empties them. */
export function collectItems(timeline: Timeline): ItemSlots {
  const slots = new ItemSlots();
  timeline.on(textBlock, new TextBlockCollector(slots));
  timeline.on(thinkingBlock, new ThinkingBlockCollector(slots));
  timeline.on(toolUseBlock, new ToolCallCollector(slots));
  timeline.on(opaqueBlock, new OpaqueBlockCollector(slots));
  timeline.on(
    status,
    eventCallback((event) => {
      if (event.status === "response_restarted") slots.clear();
    }),
  );
  return slots;
}

function optionalProviderData(providerData: ProviderData | undefined): {
  readonly providerData?: ProviderData;
} {
  return providerData === undefined ? {} : { providerData };
}
