import {
  type ContentPart,
  type Item,
  type JsonValue,
  LlmError,
  type LlmRequest,
  type MediaPart,
  type MessageItem,
  type ToolCallItem,
  type ToolResultItem,
  userMessage,
} from "llm-worker";
import { describe, expect, test } from "vitest";
import { createScheme, toWire, type Wire, WIRE_NAMES } from "../src/wires.js";

/** Half of a character between two letters. */
const HALF = "a\ud83db";
const MODEL = "test";

const base64 = (mediaType: string): MediaPart["source"] => ({
  type: "base64",
  mediaType,
  data: "AAAA",
});
const media: readonly MediaPart[] = [
  { type: "image", source: { type: "url", url: `https://example.test/${HALF}` } },
  { type: "file", source: { type: "url", url: HALF, mediaType: HALF } },
  ...["image/", "audio/", "text/", "application/pdf", ""].map((type): MediaPart => ({
    type: "file",
    name: HALF,
    source: base64(type + HALF),
  })),
  { type: "file", name: HALF, source: base64("application/pdf") },
];

const schema = { type: "object", properties: { [HALF]: { type: "string", description: HALF } } };
const answer: MessageItem = {
  type: "message",
  role: "assistant",
  content: [{ type: "text", text: "b" }],
};

function exchange(
  callId: string,
  call: Partial<ToolCallItem> = {},
  result: Partial<ToolResultItem> = {},
): readonly Item[] {
  return [
    { type: "tool_call", callId, name: "t", arguments: "{}", ...call },
    { type: "tool_result", callId, summary: "ok", ...result },
  ];
}

function said(content: readonly ContentPart[]): Item {
  return { type: "message", role: "user", content };
}

const requests: Readonly<Record<string, Partial<LlmRequest>>> = {
  "the system prompt": { systemPrompt: HALF },
  "a tool": { tools: [{ name: "t", description: HALF, inputSchema: schema }] },
  "what is asked of the answer": {
    generation: {
      stopSequences: [HALF],
      outputSchema: { ...schema, required: [HALF], additionalProperties: false },
    },
  },
  "a message": { items: [said([{ type: "text", text: HALF }])] },
  "images and files": { items: [said(media)] },
  "a call": {
    items: [
      ...exchange(HALF, { name: HALF, arguments: `{"a":"${HALF}"}` }),
      ...exchange("2", { arguments: '{"a":"\\ud83d"}' }),
      ...exchange("3", { arguments: HALF }),
    ],
  },
  "a result": {
    items: [
      ...exchange("1", {}, { summary: HALF, content: HALF }),
      ...exchange("2", {}, { summary: HALF, isError: true }),
      ...exchange("3", {}, { parts: media }),
    ],
  },
};

/** What servers may give to be sent back, of any of the wires. */
const replayed: readonly JsonValue[] = [
  { type: "thinking", signature: HALF },
  { type: "redacted_thinking", data: HALF },
  { type: "reasoning", id: "rs_1", encrypted_content: HALF, summary: [HALF] },
  { type: "reasoning", field: "reasoning_details", details: [{ text: HALF }] },
  { type: "message", id: `msg_${HALF}`, phase: HALF, annotations: [{ title: HALF }] },
  { type: "text", citations: [{ cited_text: HALF }] },
  { type: "tool_call", extra_content: HALF, caller: { id: HALF }, namespace: HALF, id: HALF },
  { thoughtSignature: HALF, text: HALF },
];

function replaying(scheme: string): readonly Item[] {
  return replayed.flatMap((data): Item[] => {
    const providerData = { scheme, model: MODEL, data };
    return [
      userMessage("a"),
      { type: "reasoning", text: HALF, providerData },
      { ...answer, providerData },
      { type: "opaque", providerData },
      ...exchange("1", { providerData }),
    ];
  });
}

/** The strings and names of fields in a body. */
function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...stringsIn(inner)]);
}

/** The body of a request; nothing where the wire cannot say it, as that is not sent. */
function bodyOf(wire: Wire, request: Partial<LlmRequest>): unknown {
  const items = [userMessage("go on"), ...(request.items ?? [])];
  try {
    const scheme = createScheme(wire, { model: MODEL });
    return JSON.parse(String(scheme.buildRequest({ tools: [], ...request, items }).body));
  } catch (error) {
    if (error instanceof LlmError) return undefined;
    throw error;
  }
}

describe.each(WIRE_NAMES.map(toWire))("F5: %s sends no half character", (wire) => {
  const all = { ...requests, "what it has given itself": { items: replaying(wire) } };
  test.each(Object.entries(all))("in %s", (_where, request) => {
    const halves = stringsIn(bodyOf(wire, request)).filter((text) => !text.isWellFormed());
    expect(halves).toEqual([]);
  });
});
