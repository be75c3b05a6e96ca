import { refuse } from "../openai/refuse.js";
import type { AssistantMessage, Message } from "./request-types.js";

/**
 * Checks what the fields alone do not tell: that an answer says something, and that the results of its
 * calls stand right behind it, one each.
 */
export function checkMessages(messages: readonly Message[]): void {
  let open: { readonly index: number; readonly ids: Set<string> } | undefined;
  const close = (): void => {
    if (open !== undefined && open.ids.size > 0) refuseOpen(open.index, open.ids);
    open = undefined;
  };
  messages.forEach((message, index) => {
    if (message.role === "tool") {
      if (open === undefined) return refuseOrphan(index);
      if (!open.ids.delete(message.tool_call_id)) refuseUnknownId(message.tool_call_id, index);
      return;
    }
    close();
    if (message.role !== "assistant") return;
    checkSpoken(message, index);
    const ids = (message.tool_calls ?? []).map((call) => call.id);
    if (new Set(ids).size < ids.length) {
      refuse(`messages[${index}].tool_calls`, "Duplicate 'tool_call_id' values.");
    }
    if (ids.length > 0) open = { index, ids: new Set(ids) };
  });
  close();
}

function checkSpoken(
  { content, refusal, tool_calls: calls }: AssistantMessage,
  index: number,
): void {
  if ((content ?? refusal ?? undefined) !== undefined || calls) return;
  refuse(`messages[${index}].content`, "Invalid value for 'content': expected a string, got null.");
}

function refuseOrphan(index: number): never {
  return refuse(
    `messages.[${index}].role`,
    "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
  );
}

function refuseUnknownId(id: string, index: number): never {
  return refuse(
    `messages.[${index}].tool_call_id`,
    `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
  );
}

function refuseOpen(index: number, ids: ReadonlySet<string>): never {
  return refuse(
    `messages.[${index}].role`,
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each " +
      `'tool_call_id'. The following tool_call_ids did not have response messages: ${[...ids].join(", ")}`,
  );
}
