import { type Provider, Worker } from "llm-worker";

const echo: Provider = {
  name: "echo",
  model: "echo-1",
  async *stream({ items }) {
    yield [
      { type: "block_start", index: 0, kind: "text" },
      { type: "block_delta", index: 0, text: `I was sent ${items.length} items.` },
      { type: "block_stop", index: 0 },
      { type: "status", status: "response_finished", stop: { reason: "end" } },
    ];
  },
};
const { text } = await new Worker({ provider: echo }).run("Hello");
console.log(text);
