/**
 * What a fresh process has spent when it holds the first answer of a model, with all that loads on
 * the way: `node first-answer.mjs NAME BASE_URL`, an answer in JSON. Copied to where the packages are.
 */
const PROMPT = "Say hello.";
const MODEL = "any";
const API_KEY = "none";

const ways = {
  /** node:http and JSON.parse. */
  limit: async (baseUrl) => {
    const { request } = await import("node:http");
    const response = await new Promise((resolve, reject) => {
      request(`${baseUrl}/v1/messages`, { method: "POST" }, resolve).on("error", reject).end("{}");
    });
    let [stream, text] = ["", ""];
    for await (const piece of response.setEncoding("utf8")) stream += piece;
    for (const [, data] of stream.matchAll(/^data: (.*)$/gm))
      text += JSON.parse(data).delta?.text ?? "";
    return text;
  },
  "llm-worker": async (baseUrl) => {
    const { Worker } = await import("llm-worker");
    const { anthropic } = await import("@llm-worker/providers-anthropic");
    const provider = anthropic({ apiKey: API_KEY, baseUrl, model: MODEL });
    return (await new Worker({ provider }).run(PROMPT)).text;
  },
  "@anthropic-ai/sdk": async (baseURL) => {
    const { Anthropic } = await import("@anthropic-ai/sdk");
    const client = new Anthropic({ apiKey: API_KEY, baseURL });
    const messages = [{ role: "user", content: PROMPT }];
    return client.messages.stream({ model: MODEL, max_tokens: 100, messages }).finalText();
  },
  ai: async (baseUrl) => {
    const { streamText } = await import("ai");
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    const provider = createAnthropic({ apiKey: API_KEY, baseURL: `${baseUrl}/v1` });
    return streamText({ model: provider(MODEL), prompt: PROMPT }).text;
  },
  LangChain: async (anthropicApiUrl) => {
    const { HumanMessage } = await import("@langchain/core/messages");
    const { ChatAnthropic } = await import("@langchain/anthropic");
    const model = new ChatAnthropic({ apiKey: API_KEY, anthropicApiUrl, model: MODEL });
    let text = "";
    for await (const chunk of await model.stream([new HumanMessage(PROMPT)])) text += chunk.text;
    return text;
  },
};

const [name, baseUrl] = process.argv.slice(2);
const rssBefore = process.memoryUsage.rss();
const cpuBefore = process.cpuUsage();
const text = await ways[name](baseUrl);
const cpu = process.cpuUsage(cpuBefore);
const addedRssMb = (process.memoryUsage.rss() - rssBefore) / 1e6;
console.log(JSON.stringify({ text, cpuMs: (cpu.user + cpu.system) / 1000, addedRssMb }));
process.exit();
