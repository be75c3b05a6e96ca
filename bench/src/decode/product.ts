import { anthropic } from "@llm-worker/providers-anthropic";
import { gemini } from "@llm-worker/providers-gemini";
import { ollama } from "@llm-worker/providers-ollama";
import { openai } from "@llm-worker/providers-openai";
import {
  collectItems,
  type Item,
  messageText,
  type Provider,
  Timeline,
  userMessage,
  Worker,
} from "llm-worker";
import type { Answer } from "./message.js";
import type { WireName } from "./wires/wire.js";

const PROMPT = "Write the files.";

const factories: Readonly<Record<WireName, (baseUrl: string) => Provider>> = {
  anthropic: (baseUrl) => anthropic({ model: "claude-sonnet-5", apiKey: "none", baseUrl }),
  "openai-chat": (baseUrl) => openai({ model: "gpt-5.6", apiKey: "none", baseUrl, api: "chat" }),
  "openai-responses": (baseUrl) => openai({ model: "gpt-5.6", apiKey: "none", baseUrl }),
  gemini: (baseUrl) => gemini({ model: "gemini-3-pro-preview", apiKey: "none", baseUrl }),
  ollama: (baseUrl) => ollama({ model: "qwen3.6", baseUrl }),
};

/** The product's provider for a wire. */
export function createProvider(wire: WireName, url: string): Provider {
  return factories[wire](url);
}

/** An answer by provider, timeline and collectors. @throws Error if the answer failed */
export async function collect(provider: Provider): Promise<readonly Item[]> {
  const timeline = new Timeline();
  const slots = collectItems(timeline);
  for await (const batch of provider.stream({ tools: [], items: [userMessage(PROMPT)] })) {
    for (const event of batch) {
      if (event.type === "error") throw new Error(event.error.message);
      timeline.dispatch(event);
    }
  }
  return slots.items;
}

/** An answer by a whole worker, which pauses before it would run the calls. */
export async function runWorker(provider: Provider): Promise<Worker> {
  const worker = new Worker({ provider });
  const run = worker.run(PROMPT);
  worker.pause();
  await run;
  return worker;
}

/** What the items say. */
export function toAnswer(items: readonly Item[]): Answer {
  let [thinking, text] = ["", ""];
  const calls: { name: string; input: unknown }[] = [];
  for (const item of items) {
    if (item.type === "reasoning") thinking += item.text;
    else if (item.type === "message" && item.role === "assistant") text += messageText(item);
    else if (item.type === "tool_call") {
      calls.push({ name: item.name, input: JSON.parse(item.arguments) });
    }
  }
  return { thinking, text, calls };
}
