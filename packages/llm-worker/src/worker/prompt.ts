import type { ContentPart, MessageItem } from "../model/item.js";

/** What `run` takes: a text, its parts, or a whole user message. */
export type Prompt = string | readonly ContentPart[] | MessageItem;

/** The prompt as an item, with half characters repaired. */
export function toMessage(prompt: Prompt | undefined): MessageItem | undefined {
  if (prompt === undefined) return undefined;
  if (typeof prompt === "string") return toMessage([{ type: "text", text: prompt }]);
  if ("type" in prompt) return { ...prompt, content: prompt.content.map(wellFormedPart) };
  return { type: "message", role: "user", content: prompt.map(wellFormedPart) };
}

function wellFormedPart(part: ContentPart): ContentPart {
  return part.type === "text" ? { ...part, text: part.text.toWellFormed() } : part;
}
