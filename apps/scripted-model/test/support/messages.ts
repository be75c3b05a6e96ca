import Anthropic from "@anthropic-ai/sdk";
import type { MessageParam, Tool } from "@anthropic-ai/sdk/resources/messages";
import type { CallEntry } from "../../src/model-view.js";
import { demoTools, type Workspace } from "./workspace.js";

/** A client of the official SDK for a scripted model. */
export function createClient(baseURL: string, maxRetries = 0): Anthropic {
  return new Anthropic({ apiKey: "k", baseURL, maxRetries });
}

/** The demo's tools as the SDK types them. */
export const sdkTools: Tool[] = demoTools.map(({ name, description, inputSchema }) => ({
  name,
  description,
  // The schemas in this folder are all objects.
  input_schema: inputSchema as Tool.InputSchema,
}));

/** A smallest valid request body, as JSON. */
export function requestBody(
  fields: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    model: "scripted",
    max_tokens: 1000,
    messages: [{ role: "user", content: "What is in notes.txt?" }],
    tools: sdkTools,
    ...fields,
  };
}

/** Posts a body as it is. */
export function post(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${url}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": "k", "anthropic-version": "2026-10-21", ...headers },
    body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
}

/** The events of a stream of server-sent events. */
export function parseEvents(stream: string): unknown[] {
  return stream
    .split("\n\n")
    .filter((frame) => frame !== "")
    .map((frame) => JSON.parse(/^event: \w+\ndata: (.*)$/u.exec(frame)?.[1] ?? "null"));
}

/** Runs the calls of an answer and gives the messages to send next. */
export function answerCalls(workspace: Workspace, message: Anthropic.Message): MessageParam[] {
  const results = message.content.flatMap((block) => {
    if (block.type !== "tool_use") return [];
    const call: Pick<CallEntry, "name" | "input"> = block;
    const { text, isError } = workspace.run(call);
    return [
      { type: "tool_result" as const, tool_use_id: block.id, content: text, is_error: isError },
    ];
  });
  return [
    { role: "assistant", content: message.content },
    { role: "user", content: results },
  ];
}
