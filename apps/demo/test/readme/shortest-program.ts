import { anthropic } from "@llm-worker/providers-anthropic";
import { defineTool, Worker } from "llm-worker";
import * as z from "zod";

const worker = new Worker({
  provider: anthropic({ model: "claude-sonnet-5" }),
  tools: [
    defineTool({
      name: "add",
      description: "Adds two numbers.",
      input: z.object({ a: z.number(), b: z.number() }),
      execute: ({ a, b }) => a + b,
    }),
  ],
});
const { status, text } = await worker.run("What is 20 + 22?");
console.log(status, text);
