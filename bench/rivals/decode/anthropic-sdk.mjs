import Anthropic from "@anthropic-ai/sdk";

/** @import { CreateClient } from "../decode.mjs" */

const request = {
  model: "claude-sonnet-5",
  max_tokens: 64_000,
  messages: [{ role: /** @type {const} */ ("user"), content: "Write the files." }],
};

/** Iterates over the raw events and joins the pieces of each block. @type {CreateClient} */
export function createRaw({ url }) {
  const client = new Anthropic({ apiKey: "none", baseURL: url, maxRetries: 0 });
  return async () => {
    const stream = await client.messages.create({ ...request, stream: true });
    /** @type {{ type: string, name: string, pieces: string[] }[]} */
    const blocks = [];
    for await (const event of stream) {
      if (event.type === "content_block_start") {
        const { content_block: block } = event;
        blocks[event.index] = {
          type: block.type,
          name: block.type === "tool_use" ? block.name : "",
          pieces: [],
        };
      } else if (event.type === "content_block_delta") {
        const { delta } = event;
        const pieces = blocks[event.index]?.pieces;
        if (delta.type === "text_delta") pieces?.push(delta.text);
        else if (delta.type === "thinking_delta") pieces?.push(delta.thinking);
        else if (delta.type === "input_json_delta") pieces?.push(delta.partial_json);
      }
    }
    const joined = blocks.map(({ type, name, pieces }) => ({ type, name, text: pieces.join("") }));
    return {
      thinking: joined.find(({ type }) => type === "thinking")?.text ?? "",
      text: joined.find(({ type }) => type === "text")?.text ?? "",
      calls: joined.flatMap(({ type, name, text }) =>
        type === "tool_use" ? [{ name, input: JSON.parse(text) }] : [],
      ),
    };
  };
}

/** The SDK's own accumulation. @type {CreateClient} */
export function createStream({ url }) {
  const client = new Anthropic({ apiKey: "none", baseURL: url, maxRetries: 0 });
  return async () => {
    const { content } = await client.messages.stream(request).finalMessage();
    return {
      thinking: content.map((block) => (block.type === "thinking" ? block.thinking : "")).join(""),
      text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
      calls: content.flatMap((block) =>
        block.type === "tool_use" ? [{ name: block.name, input: block.input }] : [],
      ),
    };
  };
}
