import type { DeclaredTool } from "../../src/model-view.js";
import { demoTools } from "./workspace.js";

/** A wire as a test speaks it, without any SDK. */
export interface TestWire {
  readonly name: string;
  /** What wire-validate calls it. */
  readonly validator: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Where a streamed or a whole answer is asked for. */
  path(mode: "stream" | "whole"): string;
  /** A smallest valid body that asks something. */
  body(mode: "stream" | "whole", question?: string): Record<string, unknown>;
  /** The events of a stream, or what was meant to be one. */
  parseStream(stream: string): unknown[];
}

/** What a smallest request asks. */
export const DEFAULT_QUESTION = "What is in notes.txt?";

const bearer = { authorization: "Bearer k" };

const anthropic: TestWire = {
  name: "anthropic",
  validator: "anthropic",
  headers: { "x-api-key": "k", "anthropic-version": "2026-10-21" },
  path: () => "/v1/messages",
  body: (mode, question = DEFAULT_QUESTION) => ({
    model: "scripted",
    max_tokens: 1000,
    messages: [{ role: "user", content: question }],
    tools: demoTools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      input_schema: inputSchema,
    })),
    ...(mode === "stream" ? { stream: true } : {}),
  }),
  parseStream: parseSse,
};

const chatTools = demoTools.map(({ name, description, inputSchema }) => ({
  type: "function",
  function: { name, description, parameters: inputSchema },
}));

const openaiChat: TestWire = {
  name: "openai-chat",
  validator: "openai-chat",
  headers: bearer,
  path: () => "/v1/chat/completions",
  body: (mode, question = DEFAULT_QUESTION) => ({
    model: "scripted",
    messages: [{ role: "user", content: question }],
    tools: chatTools,
    ...(mode === "stream" ? { stream: true, stream_options: { include_usage: true } } : {}),
  }),
  parseStream: parseSse,
};

const openaiResponses: TestWire = {
  name: "openai-responses",
  validator: "openai-responses",
  headers: bearer,
  path: () => "/v1/responses",
  body: (mode, question = DEFAULT_QUESTION) => ({
    model: "scripted",
    input: question,
    tools: demoTools.map(({ name, description, inputSchema }) => ({
      type: "function",
      name,
      description,
      parameters: inputSchema,
      strict: false,
    })),
    ...(mode === "stream" ? { stream: true } : {}),
  }),
  parseStream: parseSse,
};

const gemini: TestWire = {
  name: "gemini",
  validator: "gemini",
  headers: { "x-goog-api-key": "k" },
  path: (mode) =>
    `/v1beta/models/scripted:${mode === "stream" ? "streamGenerateContent?alt=sse" : "generateContent"}`,
  body: (_mode, question = DEFAULT_QUESTION) => ({
    contents: [{ role: "user", parts: [{ text: question }] }],
    tools: [{ functionDeclarations: demoTools.map(declaration) }],
  }),
  parseStream: parseSse,
};

const ollama: TestWire = {
  name: "ollama",
  validator: "ollama",
  headers: {},
  path: () => "/api/chat",
  body: (mode, question = DEFAULT_QUESTION) => ({
    model: "scripted",
    messages: [{ role: "user", content: question }],
    tools: chatTools,
    ...(mode === "whole" ? { stream: false } : {}),
  }),
  parseStream: (stream) =>
    stream
      .split("\n")
      .filter((line) => line !== "")
      .map((line): unknown => JSON.parse(line)),
};

/** All wires that the server speaks. */
export const testWires = { anthropic, openaiChat, openaiResponses, gemini, ollama };

/** Posts a body to a wire. */
export function postTo(
  wire: TestWire,
  url: string,
  body: unknown,
  mode: "stream" | "whole" = "whole",
): Promise<Response> {
  return fetch(url + wire.path(mode), {
    method: "POST",
    headers: wire.headers,
    body: JSON.stringify(body),
  });
}

function declaration({ name, description, inputSchema }: DeclaredTool): unknown {
  return { name, description, parametersJsonSchema: inputSchema };
}

/** Events in any of the framings: with `event:` or without, LF or CRLF, with `[DONE]` or without. */
function parseSse(stream: string): unknown[] {
  return stream
    .split(/\r?\n\r?\n/u)
    .map((frame) => /^data: (.*)$/mu.exec(frame)?.[1])
    .filter((data) => data !== undefined && data !== "[DONE]")
    .map((data): unknown => JSON.parse(data ?? ""));
}
