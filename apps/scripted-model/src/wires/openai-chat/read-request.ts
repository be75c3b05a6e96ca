import type { HistoryEntry, ModelView, ToolChoice } from "../../model-view.js";
import type { PromptBlock } from "../../prompt-cache.js";
import { readFlaggedText } from "../flagged-text.js";
import type { FunctionDeclaration } from "../openai/check-function.js";
import { type ChatRequest, type Message, textOf } from "./request-types.js";

/** What a checked request says, in no wire's words. */
export function readRequest(request: ChatRequest): ModelView {
  const { messages, tool_choice: choice } = request;
  const allowed = allowedNames(choice);
  return {
    system: messages.filter(isSystem).map(textOfMessage).join("\n\n"),
    tools: declaredFunctions(request)
      .filter(({ name }) => allowed === undefined || allowed.includes(name))
      .map(({ name, description, parameters: inputSchema }) => ({
        name,
        description: description ?? "",
        inputSchema,
      })),
    toolChoice: readToolChoice(choice),
    allowsParallelCalls: request.parallel_tool_calls !== false,
    history: readHistory(messages),
  };
}

function declaredFunctions({ tools }: ChatRequest): FunctionDeclaration[] {
  return (tools ?? []).flatMap((tool) => (tool.function ? [tool.function] : []));
}

function isSystem({ role }: Message): boolean {
  return role === "system" || role === "developer";
}

function textOfMessage(message: Message): string {
  return textOf(message.content);
}

function allowedNames(choice: ChatRequest["tool_choice"]): string[] | undefined {
  if (typeof choice !== "object" || choice?.type !== "allowed_tools") return undefined;
  return choice.allowed_tools.tools.flatMap((tool) => tool.function?.name ?? []);
}

function readToolChoice(choice: ChatRequest["tool_choice"]): ToolChoice {
  if (choice === undefined || choice === null) return "auto";
  if (typeof choice === "string") return choice;
  switch (choice.type) {
    case "function":
      return { name: choice.function.name };
    case "allowed_tools":
      return choice.allowed_tools.mode;
    case "custom":
      return "auto";
  }
}

function readHistory(messages: readonly Message[]): HistoryEntry[] {
  return messages.flatMap((message, index): HistoryEntry[] => {
    const text = textOfMessage(message);
    if (message.role === "user") return [{ type: "user", text }];
    if (message.role !== "assistant") return [];
    const calls = (message.tool_calls ?? []).map((call): HistoryEntry => {
      const { name } = call.function;
      return {
        type: "call",
        name,
        input: parseArguments(call.function.arguments),
        result: readFlaggedText(resultOf(call.id, messages.slice(index + 1))),
      };
    });
    return text === "" ? calls : [{ type: "assistant", text }, ...calls];
  });
}

function resultOf(callId: string, later: readonly Message[]): string {
  const result = later.find(
    (message) => message.role === "tool" && message.tool_call_id === callId,
  );
  return textOf(result?.content);
}

function parseArguments(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
}

/** The prompt in the order in which it is cached. */
export function promptBlocks(request: ChatRequest): PromptBlock[] {
  const scope = `openai-chat ${request.model} ${request.prompt_cache_key ?? ""}`;
  return [...(request.tools ?? []), ...request.messages].map((part) => ({
    text: JSON.stringify(part),
    scope,
  }));
}
