import { Worker } from "llm-worker";
import { openai } from "@llm-worker/providers-openai";

const worker = new Worker({ provider: openai({ model: "gpt-5.2" }) });
const { text } = await worker.run("What is the capital of France?");
console.log(text);
