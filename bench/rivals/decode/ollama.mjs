import { Ollama } from "ollama";

/** @import { CreateClient } from "../decode.mjs" */

/** Iterates over the lines, as the SDK joins nothing. @type {CreateClient} */
export function create({ url }) {
  const client = new Ollama({ host: url });
  return async () => {
    const stream = await client.chat({
      model: "qwen3.6",
      messages: [{ role: "user", content: "Write the files." }],
      stream: true,
    });
    const thinking = [];
    const text = [];
    const calls = [];
    for await (const { message } of stream) {
      if (message.thinking) thinking.push(message.thinking);
      if (message.content) text.push(message.content);
      for (const { function: called } of message.tool_calls ?? []) {
        calls.push({ name: called.name, input: called.arguments });
      }
    }
    return { thinking: thinking.join(""), text: text.join(""), calls };
  };
}
