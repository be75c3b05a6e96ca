import type { HistoryEntry, ModelView, ToolChoice } from "../../model-view.js";
import type { PromptBlock } from "../../prompt-cache.js";
import { readFlaggedText } from "../flagged-text.js";
import { type InputItem, itemsOf, type ResponsesRequest, textOf } from "./request-types.js";

/** What a checked request says, in no wire's words. */
export function readRequest(request: ResponsesRequest): ModelView {
  const { instructions, tool_choice: choice } = request;
  const items = itemsOf(request.input);
  const allowed = allowedNames(choice);
  const told = items.flatMap((item) =>
    "role" in item && (item.role === "system" || item.role === "developer")
      ? [textOf(item.content)]
      : [],
  );
  return {
    system: [...(instructions ? [instructions] : []), ...told].join("\n\n"),
    tools: (request.tools ?? [])
      .filter(({ type }) => type === "function")
      .map(({ name = "", description, parameters: inputSchema }) => ({
        name,
        description: description ?? "",
        inputSchema,
      }))
      .filter(({ name }) => allowed === undefined || allowed.includes(name)),
    toolChoice: readToolChoice(choice),
    allowsParallelCalls: request.parallel_tool_calls !== false,
    history: items.flatMap((item) => readItem(item, items)),
  };
}

function allowedNames(choice: ResponsesRequest["tool_choice"]): string[] | undefined {
  if (typeof choice !== "object" || choice?.type !== "allowed_tools") return undefined;
  return choice.tools.flatMap((tool) => tool.name ?? []);
}

function readToolChoice(choice: ResponsesRequest["tool_choice"]): ToolChoice {
  if (choice === undefined || choice === null) return "auto";
  if (typeof choice === "string") return choice;
  switch (choice.type) {
    case "function":
      return { name: choice.name };
    case "allowed_tools":
      return choice.mode;
    default:
      return "auto";
  }
}

function readItem(item: InputItem, items: readonly InputItem[]): HistoryEntry[] {
  if ("role" in item) {
    const text = textOf(item.content);
    const isSpoken = item.role === "user" || (item.role === "assistant" && text !== "");
    return isSpoken ? [{ type: item.role, text }] : [];
  }
  if (item.type !== "function_call") return [];
  const result = items.find(
    (other) => other.type === "function_call_output" && other.call_id === item.call_id,
  );
  const text = result?.type === "function_call_output" ? textOf(result.output) : "";
  return [
    {
      type: "call",
      name: item.name,
      input: parseArguments(item.arguments),
      result: readFlaggedText(text),
    },
  ];
}

function parseArguments(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
}

/** The prompt in the order in which it is cached. */
export function promptBlocks(request: ResponsesRequest): PromptBlock[] {
  const scope = `openai-responses ${request.model} ${request.prompt_cache_key ?? ""}`;
  const { tools, instructions } = request;
  const parts = [
    ...(tools ?? []),
    ...(instructions ? [instructions] : []),
    ...itemsOf(request.input),
  ];
  return parts.map((part) => ({ text: JSON.stringify(part), scope }));
}
