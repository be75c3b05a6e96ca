import { LLMock } from "@copilotkit/aimock";
import { defineTool, type Provider, Worker } from "llm-worker";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openai } from "../src/openai.js";

let mock: LLMock;

beforeEach(async () => {
  mock = new LLMock({ port: 0, host: "127.0.0.1" });
  const toolCalls = [
    { name: "weather", arguments: JSON.stringify({ city: "Zürich" }) },
    { name: "weather", arguments: JSON.stringify({ city: "Bern" }) },
  ];
  const rain = { userMessage: "rain" };
  mock.addFixture({ match: { ...rain, hasToolResult: false }, response: { toolCalls } });
  mock.addFixture({ match: { ...rain, hasToolResult: true }, response: { content: "Bring one." } });
  await mock.start();
});

afterEach(async () => {
  await mock.stop();
});

test.each([
  ["openai-responses", (baseUrl: string) => openai({ model: "gpt-test", baseUrl })],
  ["openai-chat", (baseUrl: string) => openai({ model: "gpt-test", api: "chat", baseUrl })],
] as const)(
  "a worker gets through a turn with tools against somebody else's %s server",
  async (_name, providerFor) => {
    const provider: Provider = providerFor(`${mock.url}/v1`);
    const asked: string[] = [];
    const weather = defineTool({
      name: "weather",
      description: "The weather of a city.",
      input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      execute: (input) => {
        const { city } = input as { readonly city: string };
        asked.push(city);
        return `rain in ${city}`;
      },
    });
    const worker = new Worker({ provider, systemPrompt: "Be brief.", tools: [weather] });
    const { status, text } = await worker.run("Is there rain?");
    expect({ status, text }).toEqual({ status: "finished", text: "Bring one." });
    expect(asked).toEqual(["Zürich", "Bern"]);
    expect(mock.getRequests()).toHaveLength(2);
  },
);
