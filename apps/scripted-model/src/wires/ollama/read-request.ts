import type { HistoryEntry, ModelView } from "../../model-view.js";
import { readFlaggedText } from "../flagged-text.js";
import { pairResults } from "./pair-results.js";
import type { ChatRequest } from "./request-types.js";

/** What a checked request says, in no wire's words. There is no tool choice on this one. */
export function readRequest({ messages = [], tools = [] }: ChatRequest): ModelView {
  const results = pairResults(messages);
  return {
    system: messages
      .flatMap(({ role, content = "" }) => (role === "system" ? [content] : []))
      .join("\n\n"),
    tools: tools.map(({ function: { name, description = "", parameters: inputSchema } }) => ({
      name,
      description,
      inputSchema,
    })),
    toolChoice: "auto",
    allowsParallelCalls: true,
    history: messages.flatMap(({ role, content = "", tool_calls: calls }): HistoryEntry[] => {
      if (role === "user") return [{ type: "user", text: content }];
      if (role !== "assistant") return [];
      const made = (calls ?? []).map((call): HistoryEntry => {
        const { name, arguments: input } = call.function;
        const result = readFlaggedText(results.get(call)?.content ?? "");
        return { type: "call", name, input, result };
      });
      return content === "" ? made : [{ type: "assistant", text: content }, ...made];
    }),
  };
}
