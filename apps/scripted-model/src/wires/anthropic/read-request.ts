import { isServerTool } from "./check-request.js";
import type { HistoryEntry, ModelView, ToolChoice } from "../../model-view.js";
import type { PromptBlock } from "../../prompt-cache.js";
import { canonicalJson } from "../../json.js";
import {
  type Block,
  blocksOf,
  type MessagesRequest,
  type ToolParam,
  type ToolResultBlock,
} from "./request-types.js";

/** What a checked request says, in no wire's words. */
export function readRequest(request: MessagesRequest): ModelView {
  const { system = "", tools = [], messages, tool_choice: choice } = request;
  const systemTexts = [
    textOf(system),
    ...messages.filter(({ role }) => role === "system").map(({ content }) => textOf(content)),
  ];
  return {
    system: systemTexts.filter((text) => text !== "").join("\n\n"),
    tools: tools
      .filter((tool) => !isServerTool(tool))
      .map(({ name, description = "", input_schema: inputSchema }) => ({
        name,
        description,
        inputSchema,
      })),
    toolChoice: readToolChoice(choice),
    allowsParallelCalls: choice?.disable_parallel_tool_use !== true,
    history: readHistory(request),
  };
}

function readToolChoice(choice: MessagesRequest["tool_choice"]): ToolChoice {
  switch (choice?.type) {
    case "none":
      return "none";
    case "any":
      return "required";
    case "tool":
      return { name: choice.name ?? "" };
    case "auto":
    case undefined:
      return "auto";
  }
}

function readHistory({ messages }: MessagesRequest): HistoryEntry[] {
  const blocks = messages.flatMap(({ content }) => blocksOf(content));
  const results = new Map(
    blocks.flatMap((block) =>
      block.type === "tool_result" ? [[block.tool_use_id, block] as const] : [],
    ),
  );
  return messages.flatMap(({ role, content }): HistoryEntry[] => {
    const calls = blocksOf(content).flatMap((block): HistoryEntry[] => {
      if (block.type !== "tool_use") return [];
      const { name, input } = block;
      return [{ type: "call", name, input, result: readResult(results.get(block.id)) }];
    });
    const text = textOf(content);
    const isSpoken = text !== "" && role !== "system";
    return [...(isSpoken ? [{ type: role, text }] : []), ...calls];
  });
}

function readResult(block: ToolResultBlock | undefined): { text: string; isError: boolean } {
  return { text: textOf(block?.content ?? ""), isError: block?.is_error === true };
}

function textOf(content: string | readonly Block[]): string {
  return blocksOf(content)
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n");
}

/** The prompt in the order in which it is cached: tools, system, messages. */
export function promptBlocks(request: MessagesRequest): PromptBlock[] {
  const { tools = [], system = "", messages, tool_choice: choice, thinking } = request;
  // A change of these two makes all that is cached of the messages useless, and nothing before it.
  const mode = canonicalJson({ choice, thinking });
  const blocks = [
    ...tools.map((tool) => promptBlock(tool, `tool ${request.model}`)),
    ...(system === "" ? [] : blocksOf(system)).map((block) => promptBlock(block, "system")),
    ...messages.flatMap(({ role, content }) =>
      blocksOf(content).map((block) => promptBlock(block, `${role} ${mode}`)),
    ),
  ];
  const last = blocks.at(-1);
  if (!request.cache_control || last === undefined) return blocks;
  return [...blocks.slice(0, -1), { ...last, mark: request.cache_control.ttl ?? "5m" }];
}

function promptBlock(block: ToolParam | Block, scope: string): PromptBlock {
  const { cache_control: mark, ...content } = block;
  return { text: JSON.stringify(content), scope, mark: mark ? (mark.ttl ?? "5m") : undefined };
}
