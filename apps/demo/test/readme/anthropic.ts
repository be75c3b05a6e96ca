import { Worker } from "llm-worker";
import { anthropic } from "@llm-worker/providers-anthropic";

const worker = new Worker({ provider: anthropic({ model: "claude-sonnet-5" }) });
const { text } = await worker.run("What is the capital of France?");
console.log(text);
