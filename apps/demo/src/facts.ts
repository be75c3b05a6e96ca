import { type Item, type RunEvent, type ToolResultItem, toolResultText } from "llm-worker";

/** The numbers of one run. Sizes in bytes. */
export interface RunFacts {
  /** One row for each tool result, without those of `inspect`. */
  readonly outputs: readonly OutputFacts[];
  /** All that tools returned. */
  readonly producedBytes: number;
  /** What of it the history holds: summaries, and small outputs whole. */
  readonly historyBytes: number;
  readonly inspectCalls: number;
  /** Answers of `inspect`; they are in the history as well. */
  readonly inspectBytes: number;
  readonly requests: readonly RequestFacts[];
  readonly sentBytes: number;
  readonly allInlineBytes: number;
}

export interface OutputFacts {
  readonly toolName: string;
  readonly producedBytes: number;
  readonly historyBytes: number;
  /** Absent: the output is whole in the history. */
  readonly blobId?: string | undefined;
  readonly isError: boolean;
}

export interface RequestFacts {
  readonly turn: number;
  /** Size of the request's body. */
  readonly sentBytes: number;
  /**
   * What it would have been with every output whole in it and no `inspect`. Absent: it would not
   * have been sent, because only `inspect` was called in the turn before. Reckoned from the sizes;
   * what JSON adds to them by escaping is left out.
   */
  readonly allInlineBytes?: number | undefined;
  /** Tools that the model called in its answer. */
  readonly toolNames: readonly string[];
}

const INSPECT = "inspect";

/** Gathers the numbers of one run from its events. */
export class FactCollector {
  readonly #outputs: OutputFacts[] = [];
  readonly #requests: {
    turn: number;
    sentBytes: number;
    allInlineBytes?: number;
    toolNames: string[];
  }[] = [];
  /** Both by call id. */
  readonly #toolNames = new Map<string, string>();
  readonly #stored = new Map<string, { readonly blobId?: string; readonly byteCount: number }>();
  #inspectCalls = 0;
  #inspectBytes = 0;
  /** Calls and answers of `inspect` in the history. */
  #inspectHistoryBytes = 0;
  /** What the history would hold more if all outputs were whole in it. */
  #savedBytes = 0;
  #wouldAskNext = true;

  add(event: RunEvent): void {
    switch (event.type) {
      case "request":
        this.#addRequest(event.turn, event.bodyBytes);
        break;
      case "output_stored":
        this.#stored.set(event.callId, { blobId: event.blobId, byteCount: event.byteCount });
        break;
      case "output_store_failed":
        this.#stored.set(event.callId, { byteCount: event.byteCount });
        break;
      case "item_added":
        this.#addItem(event.item);
        break;
      default:
    }
  }

  get facts(): RunFacts {
    const requests = this.#requests.map((request) => ({ ...request }));
    return {
      outputs: [...this.#outputs],
      producedBytes: sum(this.#outputs.map((output) => output.producedBytes)),
      historyBytes: sum(this.#outputs.map((output) => output.historyBytes)),
      inspectCalls: this.#inspectCalls,
      inspectBytes: this.#inspectBytes,
      requests,
      sentBytes: sum(requests.map((request) => request.sentBytes)),
      allInlineBytes: sum(requests.map((request) => request.allInlineBytes ?? 0)),
    };
  }

  #addRequest(turn: number, sentBytes: number): void {
    const allInlineBytes = sentBytes + this.#savedBytes - this.#inspectHistoryBytes;
    this.#requests.push({
      turn,
      sentBytes,
      ...(this.#wouldAskNext ? { allInlineBytes } : {}),
      toolNames: [],
    });
    this.#wouldAskNext = false;
  }

  #addItem(item: Item): void {
    if (item.type === "tool_call") {
      this.#toolNames.set(item.callId, item.name);
      this.#requests.at(-1)?.toolNames.push(item.name);
      if (item.name === INSPECT) this.#inspectHistoryBytes += Buffer.byteLength(item.arguments);
      else this.#wouldAskNext = true;
    } else if (item.type === "tool_result") {
      this.#addResult(item, this.#toolNames.get(item.callId) ?? "");
    }
  }

  #addResult(item: ToolResultItem, toolName: string): void {
    const historyBytes = Buffer.byteLength(toolResultText(item));
    const stored = this.#stored.get(item.callId);
    this.#stored.delete(item.callId);
    if (toolName === INSPECT) {
      this.#inspectCalls += 1;
      this.#inspectBytes += historyBytes;
      this.#inspectHistoryBytes += historyBytes;
      return;
    }
    const producedBytes = stored?.byteCount ?? historyBytes;
    this.#savedBytes += producedBytes - historyBytes;
    this.#outputs.push({
      toolName,
      producedBytes,
      historyBytes,
      blobId: stored?.blobId,
      isError: item.isError === true,
    });
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
