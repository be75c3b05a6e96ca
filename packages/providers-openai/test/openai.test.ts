import { readFileSync } from "node:fs";
import {
  ask as askProvider,
  type LoopbackServer,
  startServer,
  toOutcome,
} from "@llm-worker/wire-testing";
import { type Event, MissingApiKeyError, type Provider, userMessage } from "llm-worker";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openai, openaiCompatible } from "../src/openai.js";

const MODEL = "gpt-test";
const fixtures = {
  chat: readFileSync(new URL("fixtures/chat-turn.sse", import.meta.url)),
  responses: readFileSync(new URL("fixtures/responses-turn.sse", import.meta.url)),
};
const outcome = {
  outcome: "ok",
  text: "I look it up: 天気.",
  reasoning: "Zürich, also 🌧️.",
  refusal: "",
  toolCalls: [
    { id: "call_fixture_1", name: "weather", arguments: { city: "Zürich" } },
    { id: "call_fixture_2", name: "now", arguments: {} },
  ],
  stopReason: "tool_use",
  usage: { inputTotal: 331, cacheRead: 300, cacheWrite: null, outputTotal: 57, reasoning: 12 },
  parts: ["reasoning", "text", "tool_call", "tool_call"],
  error: undefined,
};

let server: LoopbackServer;

beforeEach(() => {
  vi.stubEnv("OPENAI_API_KEY", undefined);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

function ask(provider: Provider): Promise<readonly Event[]> {
  return askProvider(provider, { tools: [], items: [userMessage("How is the weather?")] });
}

describe("a turn over HTTP", () => {
  test("goes to the Responses API by default", async () => {
    server = await startServer(fixtures.responses);
    const { baseUrl } = server;
    const events = await ask(openai({ model: MODEL, apiKey: "sk-test", baseUrl }));
    expect(toOutcome(events)).toEqual({ ...outcome, usage: { ...outcome.usage, cacheWrite: 20 } });
    expect(server.received).toMatchObject([
      {
        url: "/responses",
        headers: { authorization: "Bearer sk-test", accept: "text/event-stream" },
        body: { model: MODEL, stream: true, store: false },
      },
    ]);
  });

  test("goes to Chat Completions if asked for", async () => {
    server = await startServer(fixtures.chat);
    const { baseUrl } = server;
    const provider = openai({ model: MODEL, api: "chat", apiKey: "sk-test", baseUrl });
    expect(toOutcome(await ask(provider))).toEqual(outcome);
    expect(server.received).toMatchObject([
      {
        url: "/chat/completions",
        headers: { authorization: "Bearer sk-test" },
        body: { model: MODEL, stream: true },
      },
    ]);
  });

  test("goes to a compatible server under its version path, with the limit as that knows it", async () => {
    server = await startServer(fixtures.chat);
    const baseUrl = `${server.baseUrl}/api/v1/\n`;
    const provider = openaiCompatible({ model: MODEL, baseUrl, maxOutputTokens: 7 });
    expect(toOutcome(await ask(provider))).toEqual(outcome);
    expect(server.received).toMatchObject([
      { url: "/api/v1/chat/completions", body: { max_tokens: 7 } },
    ]);
  });

  test("may be answered by one document", async () => {
    const message = { role: "assistant", content: "Hello" };
    const document = { id: "chatcmpl-1", choices: [{ message, finish_reason: "stop" }] };
    server = await startServer(Buffer.from(JSON.stringify(document)), "application/json");
    const { baseUrl } = server;
    expect(toOutcome(await ask(openaiCompatible({ model: MODEL, baseUrl })))).toMatchObject({
      outcome: "ok",
      text: "Hello",
    });
  });
});

describe("the key", () => {
  beforeEach(async () => {
    server = await startServer(fixtures.responses);
  });

  test("is read from OPENAI_API_KEY, without the line break at its end", async () => {
    vi.stubEnv("OPENAI_API_KEY", "sk-from-env\n");
    await ask(openai({ model: MODEL, baseUrl: server.baseUrl }));
    expect(server.received[0]?.headers.authorization).toBe("Bearer sk-from-env");
  });

  test("is missed at once, by the name of its variable", () => {
    expect(() => openai({ model: MODEL })).toThrow(MissingApiKeyError);
    expect(() => openai({ model: MODEL, apiKey: " " })).toThrow("OPENAI_API_KEY");
    expect(() => openai({ model: MODEL, baseUrl: "https://api.openai.com/v1/ " })).toThrow(
      MissingApiKeyError,
    );
  });

  test("is not needed for another server", async () => {
    expect(toOutcome(await ask(openai({ model: MODEL, baseUrl: server.baseUrl }))).outcome).toBe(
      "ok",
    );
    expect(server.received[0]?.headers).not.toHaveProperty("authorization");
  });

  test("of OpenAI is not given to a compatible server", async () => {
    vi.stubEnv("OPENAI_API_KEY", "sk-from-env");
    await ask(openaiCompatible({ model: MODEL, baseUrl: server.baseUrl }));
    expect(server.received[0]?.headers).not.toHaveProperty("authorization");
  });
});

test("further headers go along and win over ours", async () => {
  server = await startServer(fixtures.responses);
  const headers = { authorization: "Bearer other", "openai-organization": "org" };
  await ask(openai({ model: MODEL, apiKey: "sk-test", baseUrl: server.baseUrl, headers }));
  expect(server.received[0]?.headers).toMatchObject(headers);
});
