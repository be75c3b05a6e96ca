import { anthropic } from "./anthropic.js";
import { gemini } from "./gemini.js";
import { ollama } from "./ollama.js";
import { openaiChat } from "./openai-chat.js";
import { openaiResponses } from "./openai-responses.js";
import type { Wire, WireName } from "./wire.js";

/** The wires in the order of the results. */
export const wires: readonly Wire[] = [anthropic, openaiChat, openaiResponses, gemini, ollama];

/** @throws Error for a name that is none */
export function wireOf(name: WireName): Wire {
  const wire = wires.find((one) => one.name === name);
  if (wire === undefined) throw new Error(`there is no wire ${name}`);
  return wire;
}
