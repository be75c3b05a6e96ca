import { opaque, testGrowingHistory, thought } from "@llm-worker/wire-testing";
import type { Item, Scheme } from "llm-worker";
import { OpenAIChatScheme } from "../src/chat/scheme.js";
import { OpenAIResponsesScheme } from "../src/responses/scheme.js";
import { MODEL } from "./requests.js";

const RESPONSES = "openai-responses";
const reasoning = (id: string): Item =>
  thought(RESPONSES, MODEL, { type: "reasoning", id, encrypted_content: "e" });
const part = (id: string): Item => ({
  type: "message",
  role: "assistant",
  content: [{ type: "text", text: "part" }],
  providerData: { scheme: RESPONSES, model: MODEL, data: { type: "message", id } },
});
const shell = (type: string): Item => opaque(RESPONSES, MODEL, { type, id: type, call_id: "s1" });

const schemes: Readonly<Record<string, () => Scheme>> = {
  Responses: () => new OpenAIResponsesScheme({ model: MODEL }),
  Chat: () => new OpenAIChatScheme({ model: MODEL }),
};

for (const [wire, createScheme] of Object.entries(schemes)) {
  testGrowingHistory(
    wire,
    createScheme,
    [reasoning("rs_1"), reasoning("rs_2"), part("msg_1"), part("msg_2")],
    [shell("shell_call"), shell("shell_call_output"), shell("web_search_call")],
    [thought("openai-chat", MODEL, { field: "reasoning_content" })],
  );
}
