import { serveCalls } from "../dist/harness/child.js";
import { createItems, MARKER } from "../dist/history/items.js";

/**
 * @typedef {import("llm-worker").Item} Item
 * @typedef {{ wire: string, itemCount: number, repeats: number }} Work
 */

const MODEL = "claude-sonnet-4-5";
const MAX_TOKENS = 32_000;

/** What the last request was about to send, and the time that this process had used by then. */
let body = "";
let cpuUsage = process.cpuUsage();

/** Ends a request at the moment in which the HTTP layer has its body. */
globalThis.fetch = async (_url, init) => {
  cpuUsage = process.cpuUsage();
  body = typeof init?.body === "string" ? init.body : "";
  throw new Error("caught");
};

/** Rivals print the error that ends their requests, and some the advice to take a newer model. */
for (const method of ["dir", "error", "log", "warn"]) console[method] = () => {};

/** By rival: makes its messages of our items, and then what sends them. */
const RIVALS = {
  "@anthropic-ai/sdk": anthropicSdk,
  "@langchain/anthropic": langchain,
  "pi-ai": piAi,
  "@tanstack/ai": tanstackAi,
  ai: vercelAi,
};

const createSender = RIVALS[process.argv[2]];
/** @type {Map<number, () => Promise<unknown>>} */
const senders = new Map();

serveCalls({ wholeBodies });

/** @param {Work} work */
async function wholeBodies({ itemCount, repeats }) {
  let send = senders.get(itemCount);
  if (send === undefined) {
    send = await createSender(createItems(itemCount));
    await check(send, itemCount);
    senders.set(itemCount, send);
  }
  let cpuMs = 0;
  for (let request = 0; request < repeats; request += 1) cpuMs += await cpuMsOf(send);
  return cpuMs / repeats;
}

/** @param {() => Promise<unknown>} send */
async function cpuMsOf(send) {
  const before = process.cpuUsage();
  body = "";
  await send();
  if (body === "") throw new Error("no request was made");
  return (cpuUsage.user - before.user + cpuUsage.system - before.system) / 1000;
}

/** @param {() => Promise<unknown>} send @param {number} itemCount */
async function check(send, itemCount) {
  await cpuMsOf(send);
  const markers = new Set(body.match(MARKER));
  if (markers.size !== itemCount) throw new Error(`the body has ${markers.size} items`);
}

/** @param {readonly Item[]} items */
async function anthropicSdk(items) {
  const { Anthropic } = await import("@anthropic-ai/sdk");
  const client = new Anthropic({ apiKey: "none", maxRetries: 0 });
  const messages = items.map((item) => {
    if (item.type === "message") return { role: item.role, content: textOf(item) };
    if (item.type === "tool_call") return { role: "assistant", content: [toolUse(item)] };
    return { role: "user", content: [toolResult(item)] };
  });
  return async () => {
    const stream = client.messages.stream({ model: MODEL, max_tokens: MAX_TOKENS, messages });
    await stream.done().catch(() => undefined);
  };
}

/** @param {readonly Item[]} items */
async function langchain(items) {
  const [{ ChatAnthropic }, { HumanMessage, AIMessage, ToolMessage }] = await Promise.all([
    import("@langchain/anthropic"),
    import("@langchain/core/messages"),
  ]);
  const model = new ChatAnthropic({
    model: MODEL,
    maxTokens: MAX_TOKENS,
    apiKey: "none",
    maxRetries: 0,
  });
  const messages = items.map((item) => {
    if (item.type === "message") {
      return new (item.role === "user" ? HumanMessage : AIMessage)(textOf(item));
    }
    if (item.type === "tool_call") {
      const { callId: id, name } = item;
      return new AIMessage({ content: "", tool_calls: [{ id, name, args: inputOf(item) }] });
    }
    return new ToolMessage({ content: item.summary, tool_call_id: item.callId });
  });
  return () => drain(() => model.stream(messages));
}

/** @param {readonly Item[]} items */
async function piAi(items) {
  const { getModel, stream } = await import("@mariozechner/pi-ai");
  const model = getModel("anthropic", MODEL);
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const answer = {
    role: "assistant",
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: { ...usage, cost },
  };
  const messages = items.map((item, timestamp) => {
    if (item.type === "message") {
      const content = [{ type: "text", text: textOf(item) }];
      return item.role === "user"
        ? { role: "user", content, timestamp }
        : { ...answer, content, stopReason: "stop", timestamp };
    }
    if (item.type === "tool_call") {
      const { callId: id, name } = item;
      const content = [{ type: "toolCall", id, name, arguments: inputOf(item) }];
      return { ...answer, content, stopReason: "toolUse", timestamp };
    }
    return {
      role: "toolResult",
      toolCallId: item.callId,
      toolName: "edit",
      content: [{ type: "text", text: item.summary }],
      isError: false,
      timestamp,
    };
  });
  return () => drain(() => stream(model, { messages }, { apiKey: "none", maxRetries: 0 }));
}

/** @param {readonly Item[]} items */
async function tanstackAi(items) {
  const [{ chat }, { createAnthropicChat }] = await Promise.all([
    import("@tanstack/ai"),
    import("@tanstack/ai-anthropic"),
  ]);
  const adapter = createAnthropicChat(MODEL, "none", { maxRetries: 0 });
  const messages = items.map((item) => {
    if (item.type === "message") return { role: item.role, content: textOf(item) };
    if (item.type === "tool_call") {
      const call = { name: item.name, arguments: item.arguments };
      return {
        role: "assistant",
        content: null,
        toolCalls: [{ id: item.callId, type: "function", function: call }],
      };
    }
    return { role: "tool", content: item.summary, toolCallId: item.callId };
  });
  return () => drain(() => chat({ adapter, messages }));
}

/** @param {readonly Item[]} items */
async function vercelAi(items) {
  const [{ streamText }, { createAnthropic }] = await Promise.all([
    import("ai"),
    import("@ai-sdk/anthropic"),
  ]);
  const model = createAnthropic({ apiKey: "none" })(MODEL);
  const messages = items.map((item) => {
    if (item.type === "message") return { role: item.role, content: textOf(item) };
    if (item.type === "tool_call") {
      const { callId: toolCallId, name: toolName } = item;
      const call = { type: "tool-call", toolCallId, toolName, input: inputOf(item) };
      return { role: "assistant", content: [call] };
    }
    const output = { type: "text", value: item.summary };
    const result = {
      type: "tool-result",
      toolCallId: item.callId,
      toolName: "edit",
      output,
    };
    return { role: "tool", content: [result] };
  });
  return () => drain(() => streamText({ model, messages, maxRetries: 0, onError() {} }).fullStream);
}

/** Reads a stream to its end, which is the caught request. */
async function drain(open) {
  try {
    for await (const _event of await open()) {
      // Nothing comes but the error.
    }
  } catch {
    // Some throw it.
  }
}

function textOf({ content }) {
  return content.map(({ text }) => text).join("");
}

function toolUse(item) {
  return { type: "tool_use", id: item.callId, name: item.name, input: inputOf(item) };
}

function toolResult(item) {
  return { type: "tool_result", tool_use_id: item.callId, content: item.summary };
}

function inputOf(item) {
  return JSON.parse(item.arguments);
}
