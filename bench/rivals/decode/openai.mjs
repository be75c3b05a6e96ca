import OpenAI from "openai";

/** @import { CreateClient } from "../decode.mjs" */

const MODEL = "gpt-5.6";
const PROMPT = "Write the files.";

/** Iterates over the raw events and joins the pieces. @type {CreateClient} */
export function createRaw({ wire, url }) {
  const client = new OpenAI({ apiKey: "none", baseURL: `${url}/v1`, maxRetries: 0 });
  return () => (wire === "openai-chat" ? readChat(client) : readResponse(client));
}

/** @param {OpenAI} client */
async function readChat(client) {
  const stream = await client.chat.completions.create({
    model: MODEL,
    messages: [{ role: "user", content: PROMPT }],
    stream: true,
    stream_options: { include_usage: true },
  });
  const thinking = [];
  const text = [];
  /** @type {{ name: string, pieces: string[] }[]} */
  const calls = [];
  for await (const { choices } of stream) {
    const delta = choices[0]?.delta;
    if (delta === undefined) continue;
    if (delta.content) text.push(delta.content);
    // Compatible servers send it; the types know only what OpenAI does.
    if ("reasoning_content" in delta) thinking.push(delta.reasoning_content);
    for (const { index, function: called } of delta.tool_calls ?? []) {
      const call = (calls[index] ??= { name: called?.name ?? "", pieces: [] });
      call.pieces.push(called?.arguments ?? "");
    }
  }
  return { thinking: thinking.join(""), text: text.join(""), calls: calls.map(parseCall) };
}

/** @param {OpenAI} client */
async function readResponse(client) {
  const stream = await client.responses.create({ model: MODEL, input: PROMPT, stream: true });
  const thinking = [];
  const text = [];
  /** @type {Map<number, { name: string, pieces: string[] }>} */
  const calls = new Map();
  for await (const event of stream) {
    const { type } = event;
    if (type === "response.output_text.delta") text.push(event.delta);
    else if (type === "response.reasoning_summary_text.delta") thinking.push(event.delta);
    else if (type === "response.output_item.added") {
      const { item } = event;
      if (item.type === "function_call") {
        calls.set(event.output_index, { name: item.name, pieces: [] });
      }
    } else if (type === "response.function_call_arguments.delta") {
      calls.get(event.output_index)?.pieces.push(event.delta);
    }
  }
  return {
    thinking: thinking.join(""),
    text: text.join(""),
    calls: [...calls.values()].map(parseCall),
  };
}

/** @param {{ name: string, pieces: string[] }} call */
function parseCall({ name, pieces }) {
  return { name, input: JSON.parse(pieces.join("")) };
}

/** The SDK's own accumulation. @type {CreateClient} */
export function createStream({ wire, url }) {
  const client = new OpenAI({ apiKey: "none", baseURL: `${url}/v1`, maxRetries: 0 });
  return () => (wire === "openai-chat" ? finalCompletion(client) : finalResponse(client));
}

/** @param {OpenAI} client */
async function finalCompletion(client) {
  const completion = await client.chat.completions
    .stream({
      model: MODEL,
      messages: [{ role: "user", content: PROMPT }],
      stream_options: { include_usage: true },
    })
    .finalChatCompletion();
  const message = completion.choices[0]?.message;
  return {
    thinking: "",
    text: message?.content ?? "",
    calls: (message?.tool_calls ?? []).map(({ function: called }) => ({
      name: called.name,
      input: JSON.parse(called.arguments),
    })),
  };
}

/** @param {OpenAI} client */
async function finalResponse(client) {
  const { output } = await client.responses.stream({ model: MODEL, input: PROMPT }).finalResponse();
  return {
    thinking: output
      .flatMap((item) => (item.type === "reasoning" ? item.summary.map(({ text }) => text) : []))
      .join(""),
    text: output
      .flatMap((item) => (item.type === "message" ? item.content : []))
      .map((part) => (part.type === "output_text" ? part.text : ""))
      .join(""),
    calls: output.flatMap((item) =>
      item.type === "function_call" ? [{ name: item.name, input: JSON.parse(item.arguments) }] : [],
    ),
  };
}
