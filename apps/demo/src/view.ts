import { type RunEvent, type ToolCallItem, type ToolResultItem, toolResultText } from "llm-worker";
import { formatBytes } from "./numbers.js";
import type { Style } from "./style.js";
import { visibleText } from "./visible-text.js";

/** Writes text to wherever the reader is. */
export type Write = (text: string) => void;

/** Tells on a terminal what a run does, as it does it. */
export class RunView {
  readonly #write: Write;
  readonly #style: Style;
  readonly #toolNames = new Map<string, string>();
  readonly #storedBytes = new Map<string, number>();
  readonly #textBlocks = new Set<number>();

  constructor(write: Write, style: Style) {
    this.#write = write;
    this.#style = style;
  }

  show(event: RunEvent): void {
    switch (event.type) {
      case "block_start":
        if (event.kind !== "text") break;
        this.#textBlocks.add(event.index);
        this.#write("\n");
        break;
      case "block_delta":
        if (this.#textBlocks.has(event.index)) this.#write(visibleText(event.text));
        break;
      case "block_stop":
      case "block_abort":
        if (this.#textBlocks.delete(event.index)) this.#write("\n");
        break;
      case "output_stored":
        this.#storedBytes.set(event.callId, event.byteCount);
        break;
      case "output_store_failed":
        this.#warn(`the output could not be stored (${event.code}): ${event.message}`);
        break;
      case "item_added":
        if (event.item.type === "tool_call") this.#showCall(event.item);
        else if (event.item.type === "tool_result") this.#showResult(event.item);
        break;
      case "status":
        if (event.status !== "retrying") break;
        this.#warn(`${event.error.message}; trying again in ${Math.ceil(event.delayMs)} ms`);
        break;
      default:
    }
  }

  #showCall(item: ToolCallItem): void {
    const name = visibleText(item.name);
    this.#toolNames.set(item.callId, name);
    this.#write(`\n${this.#style.call(`→ ${name} ${describeInput(item)}`)}\n`);
  }

  #showResult(item: ToolResultItem): void {
    const text = toolResultText(item);
    const bytes = formatBytes(Buffer.byteLength(text));
    const name = this.#toolNames.get(item.callId) ?? "tool";
    const storedBytes = this.#storedBytes.get(item.callId);
    this.#storedBytes.delete(item.callId);
    if (name === "inspect") {
      this.#showRows(`← ${name}: ${bytes} read back`, text.split("\n", 1), item.isError);
    } else if (storedBytes !== undefined) {
      const title = `← ${name}: ${formatBytes(storedBytes)} stored, ${bytes} into the history`;
      this.#showRows(title, rowsOf(text), item.isError);
    } else {
      this.#showRows(`← ${name}: ${bytes} into the history`, rowsOf(text), item.isError);
    }
  }

  #showRows(title: string, rows: readonly string[], isError: boolean | undefined): void {
    this.#write(`${isError === true ? this.#style.failure(title) : title}\n`);
    for (const row of rows) {
      this.#write(`${this.#style.quiet(`    ${visibleText(row)}`)}\n`);
    }
  }

  #warn(text: string): void {
    this.#write(`${this.#style.failure(`! ${visibleText(text)}`)}\n`);
  }
}

function rowsOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/u, "").split("\n");
}

/** What a tool was called with: the selector of `inspect`, the arguments of others. */
function describeInput(call: ToolCallItem): string {
  if (call.name !== "inspect") return visibleText(call.arguments);
  try {
    const input: unknown = JSON.parse(call.arguments);
    const isObject = typeof input === "object" && input !== null;
    const selector = isObject && "selector" in input ? input.selector : undefined;
    return typeof selector === "string" ? visibleText(selector) : "(first part)";
  } catch {
    return visibleText(call.arguments);
  }
}
