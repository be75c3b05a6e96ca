import type {
  BlockStartEvent,
  Event,
  JsonValue,
  LlmErrorInfo,
  ProviderData,
  StopInfo,
  Usage,
} from "llm-worker";

/** A block of an answer, whole or as far as it came. */
export interface FoldedBlock {
  readonly kind: "text" | "refusal" | "reasoning" | "tool_call" | "other";
  readonly callId: string;
  /** Of a tool, or of a kind that only the provider understands. */
  readonly name: string;
  readonly isComplete: boolean;
  readonly text: string;
  readonly providerData: ProviderData | undefined;
}

/** What an answer came to. */
export interface FoldedAnswer {
  readonly blocks: readonly FoldedBlock[];
  readonly usage: Usage | undefined;
  readonly stop: StopInfo | undefined;
  readonly error: LlmErrorInfo | undefined;
  readonly model: string | undefined;
  readonly responseId: string | undefined;
}

type Draft = { -readonly [Field in keyof FoldedBlock]: FoldedBlock[Field] };

/** Sums up the events of one answer. */
export function foldEvents(events: readonly Event[]): FoldedAnswer {
  const blocks: Draft[] = [];
  const open = new Map<number, Draft>();
  let usage: Usage | undefined;
  let stop: StopInfo | undefined;
  let error: LlmErrorInfo | undefined;
  let model: string | undefined;
  let responseId: string | undefined;
  for (const event of events) {
    switch (event.type) {
      case "block_start": {
        const block = newBlock(event);
        blocks.push(block);
        open.set(event.index, block);
        break;
      }
      case "block_delta": {
        const block = open.get(event.index);
        if (block !== undefined) block.text += event.text;
        break;
      }
      case "block_stop": {
        const block = open.get(event.index);
        if (block !== undefined) {
          block.isComplete = true;
          block.providerData = event.providerData;
        }
        break;
      }
      case "usage":
        usage = { ...usage, ...event.usage };
        break;
      case "status":
        if (event.status === "response_started") ({ model, responseId } = event);
        if (event.status === "response_restarted") blocks.length = 0;
        if (event.status === "response_finished") ({ stop } = event);
        break;
      case "error":
        ({ error } = event);
        break;
      case "block_abort":
      case "ping":
        break;
    }
  }
  return { blocks, usage, stop, error, model, responseId };
}

function newBlock(event: BlockStartEvent): Draft {
  const block: Draft = {
    kind: kindOf(event),
    callId: "",
    name: "",
    isComplete: false,
    text: "",
    providerData: undefined,
  };
  if (event.kind === "tool_use") return { ...block, callId: event.callId, name: event.name };
  return event.kind === "opaque" ? { ...block, name: event.name } : block;
}

function kindOf(event: BlockStartEvent): FoldedBlock["kind"] {
  switch (event.kind) {
    case "text":
      return event.isRefusal === true ? "refusal" : "text";
    case "thinking":
      return "reasoning";
    case "tool_use":
      return "tool_call";
    case "opaque":
      return "other";
  }
}

/** The arguments of a call as a value; what is no JSON is shown as it came. */
export function argumentsValue(text: string): JsonValue {
  if (text.trim() === "") return {};
  try {
    // What JSON.parse gives is JSON.
    return JSON.parse(text) as JsonValue;
  } catch {
    return { $unparsed: text };
  }
}
