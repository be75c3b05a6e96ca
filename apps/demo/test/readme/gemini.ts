import { Worker } from "llm-worker";
import { gemini } from "@llm-worker/providers-gemini";

const worker = new Worker({ provider: gemini({ model: "gemini-3-flash-preview" }) });
const { text } = await worker.run("What is the capital of France?");
console.log(text);
