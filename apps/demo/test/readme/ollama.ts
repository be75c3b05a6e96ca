import { Worker } from "llm-worker";
import { ollama } from "@llm-worker/providers-ollama";

const worker = new Worker({ provider: ollama({ model: "qwen3:8b", numCtx: 32_768 }) });
const { text } = await worker.run("What is the capital of France?");
console.log(text);
