import { refusal } from "./refuse.js";
import type { Message, ToolCallParam } from "./request-types.js";

/**
 * The result of each call: the one with its id, or without ids the next one of its name.
 *
 * @throws Refusal if a call has no result right behind its message, or a result has no call
 */
export function pairResults(messages: readonly Message[]): ReadonlyMap<ToolCallParam, Message> {
  const results = new Map<ToolCallParam, Message>();
  let open: ToolCallParam[] = [];
  messages.forEach((message, index) => {
    if (message.role === "tool") {
      const at = open.findIndex((call) => isResultOf(message, call));
      const [call] = at === -1 ? [] : open.splice(at, 1);
      if (call === undefined) {
        throw refusal(400, `messages[${index}]: a tool message without the call that it answers`);
      }
      results.set(call, message);
      return;
    }
    refuseOpen(open, index);
    open = message.role === "assistant" ? [...(message.tool_calls ?? [])] : [];
  });
  refuseOpen(open, messages.length);
  return results;
}

function isResultOf({ tool_call_id: id, tool_name: name }: Message, call: ToolCallParam): boolean {
  if (id && call.id) return id === call.id;
  return !name || name === call.function.name;
}

function refuseOpen(open: readonly ToolCallParam[], index: number): void {
  const [call] = open;
  if (call === undefined) return;
  throw refusal(
    400,
    `messages[${index}]: expected a tool message with the result of ${call.function.name}`,
  );
}
