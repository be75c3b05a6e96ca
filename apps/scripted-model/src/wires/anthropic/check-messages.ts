import { refuse } from "./refuse.js";
import {
  type Block,
  blocksOf,
  type Message,
  type MessagesRequest,
  mergeMessages,
} from "./request-types.js";
import { isSignatureOf } from "./signature.js";

/**
 * Checks what the fields alone do not tell: that nothing is empty, who speaks first and last, that
 * each call has its result in the next message, and that thinking comes back unchanged.
 */
export function checkMessages({ messages, thinking }: MessagesRequest): void {
  if (messages.length === 0) refuse("messages", "at least one message is required");
  messages.forEach((message, index) => checkContent(message, `messages.${index}`));
  const merged = mergeMessages(messages);
  if (merged[0]?.role !== "user") refuse("messages", 'first message must use the "user" role');
  merged.forEach((message, index) => checkPairing(merged, message, index));
  if (merged.at(-1)?.role === "assistant") {
    refuse(
      "messages",
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    );
  }
  if (thinking?.type === "enabled") checkThinkingFirst(merged);
}

function checkContent(message: Message, place: string): void {
  const blocks = blocksOf(message.content);
  if (message.content === "" || blocks.length === 0) {
    refuse(place, `${message.role} messages must have non-empty content`);
  }
  blocks.forEach((block, index) => checkBlock(block, message.role, `${place}.content.${index}`));
}

function checkBlock(block: Block, role: Message["role"], place: string): void {
  switch (block.type) {
    case "text":
      if (block.text === "") refuse(place, "text content blocks must be non-empty");
      if (block.text.trim() === "") {
        refuse(place, "text content blocks must contain non-whitespace text");
      }
      break;
    case "tool_use":
      if (role !== "assistant")
        refuse(place, "`tool_use` blocks can only be in `assistant` messages");
      break;
    case "tool_result":
      if (role !== "user") refuse(place, "`tool_result` blocks can only be in `user` messages");
      break;
    case "thinking":
      if (role !== "assistant")
        refuse(place, "`thinking` blocks can only be in `assistant` messages");
      if (!isSignatureOf(block.signature, block.thinking)) {
        refuse(place, "Invalid `signature` in `thinking` block");
      }
      break;
    case "redacted_thinking":
      // This server never makes one, so it comes from elsewhere.
      refuse(place, "Invalid `data` in `redacted_thinking` block");
      break;
    case "document":
      if (role === "assistant") refuse(place, "`document` blocks are not allowed here");
      break;
    case "image":
    case "search_result":
      break;
  }
}

function checkPairing(messages: readonly Message[], message: Message, index: number): void {
  const place = `messages.${index}`;
  const blocks = blocksOf(message.content);
  const results = blocks.filter((block) => block.type === "tool_result");
  const calls = callIds(messages[index - 1]);
  for (const { tool_use_id: id } of results) {
    if (!calls.includes(id)) {
      refuse(
        place,
        `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` ` +
          "block must have a corresponding `tool_use` block in the previous message.",
      );
    }
  }
  const answered = results.map((result) => result.tool_use_id);
  if (new Set(answered).size < answered.length) {
    refuse(place, "each tool_use must have a single result");
  }
  const isMixed = blocks.slice(0, results.length).some((block) => block.type !== "tool_result");
  if (results.length > 0 && isMixed) {
    refuse(place, "`tool_result` blocks must come before any other content");
  }
  const open = calls.filter((id) => !answered.includes(id));
  if (open.length > 0) refuseOpen(`messages.${index - 1}`, open);
  if (index === messages.length - 1 && callIds(message).length > 0)
    refuseOpen(place, callIds(message));
  const ids = messages.slice(0, index + 1).flatMap(callIds);
  if (message.role === "assistant" && new Set(ids).size < ids.length) {
    refuse(place, "`tool_use` ids must be unique");
  }
}

function refuseOpen(place: string, ids: readonly string[]): never {
  return refuse(
    place,
    `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(", ")}. ` +
      "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
  );
}

function callIds(message: Message | undefined): string[] {
  if (message?.role !== "assistant") return [];
  return blocksOf(message.content).flatMap((block) =>
    block.type === "tool_use" ? [block.id] : [],
  );
}

/** With manual thinking, the turns of the tool loop that goes on begin with their thinking block. */
function checkThinkingFirst(messages: readonly Message[]): void {
  const isPrompt = (message: Message): boolean =>
    message.role === "user" &&
    blocksOf(message.content).some((block) => block.type !== "tool_result");
  const start = messages.findLastIndex(isPrompt);
  messages.forEach((message, index) => {
    const first = blocksOf(message.content)[0]?.type;
    if (index < start || message.role !== "assistant" || first === "thinking") return;
    if (callIds(message).length === 0) return;
    refuse(
      `messages.${index}.content.0.type`,
      `Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is ` +
        "enabled, a final `assistant` message must start with a thinking block.",
    );
  });
}
