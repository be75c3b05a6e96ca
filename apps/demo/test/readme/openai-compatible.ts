import { Worker } from "llm-worker";
import { openaiCompatible } from "@llm-worker/providers-openai";

const provider = openaiCompatible({ baseUrl: "http://127.0.0.1:8080/v1", model: "qwen3" });
const { text } = await new Worker({ provider }).run("What is the capital of France?");
console.log(text);
