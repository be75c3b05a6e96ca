import { AnthropicScheme } from "@llm-worker/providers-anthropic";
import { HttpProvider, Worker } from "llm-worker";
import { currentToken, tools } from "./agent.js";

const provider = new HttpProvider({
  scheme: new AnthropicScheme({ model: "claude-sonnet-5" }),
  baseUrl: "https://gateway.example.com/anthropic",
  headers: async () => ({ authorization: `Bearer ${await currentToken()}` }),
});
const { text } = await new Worker({ provider, tools }).run("What is 20 + 22?");
console.log(text);
