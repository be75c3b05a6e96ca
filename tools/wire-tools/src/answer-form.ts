import { isRecord, listOf, type WireRecord } from "llm-worker";
import { argumentsValue, type FoldedBlock } from "./fold-events.js";

/** An object for printing: fields that are `undefined` do not appear. */
export type Printable = Readonly<Record<string, unknown>>;

/** A client tool's call, as `toolCalls` of an expectation lists it. */
export function toolCallForm(block: FoldedBlock, body: string): Printable {
  const data = dataOf(block);
  return {
    ...(data["type"] === "custom_tool_call" ? { kind: "custom" } : {}),
    // An id that does not occur in the bytes was made up here.
    ...(body.includes(JSON.stringify(block.callId)) ? { id: block.callId } : {}),
    ...named({ itemId: itemIdOf(block, data) }),
    name: block.name,
    arguments: argumentsValue(block.text),
    ...named({ signature: data["thoughtSignature"] }),
  };
}

/** A block of any kind, as `parts` of an expectation lists it. */
export function partForm(block: FoldedBlock, body: string): Printable {
  const data = dataOf(block);
  switch (block.kind) {
    case "text":
      return {
        type: "text",
        text: block.text,
        ...named({
          itemId: itemIdOf(block, data),
          phase: data["phase"],
          citations: listOf(data["citations"]).length || undefined,
          annotations: listOf(data["annotations"]).length || undefined,
          signature: data["thoughtSignature"],
        }),
      };
    case "refusal":
      return { type: "refusal", text: block.text };
    case "reasoning":
      if (data["type"] === "redacted_thinking")
        return { type: "reasoning", redacted: data["data"] };
      return {
        type: "reasoning",
        text: block.text,
        ...named({
          itemId: itemIdOf(block, data),
          encrypted: data["encrypted_content"],
          signature: data["signature"] ?? data["thoughtSignature"],
        }),
      };
    case "tool_call":
      return { type: "tool_call", ...toolCallForm(block, body) };
    case "other":
      return {
        type: "other",
        kind: block.name,
        ...named({
          id: data["id"],
          callId: data["call_id"],
          name: data["name"],
          input: data["input"],
          signature: data["thoughtSignature"],
        }),
      };
  }
}

/** Only one wire has items with ids of their own. */
function itemIdOf({ providerData }: FoldedBlock, data: WireRecord): unknown {
  return providerData?.scheme === "openai-responses" ? data["id"] : undefined;
}

function dataOf({ providerData }: FoldedBlock): WireRecord {
  return isRecord(providerData?.data) ? providerData.data : {};
}

function named(fields: Printable): Printable {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
