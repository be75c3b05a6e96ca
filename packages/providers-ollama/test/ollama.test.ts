import { readFileSync } from "node:fs";
import {
  ask,
  decodeStream,
  type LoopbackServer,
  piecesOf,
  startServer,
  toOutcome,
  user,
} from "@llm-worker/wire-testing";
import { LlmError, MissingApiKeyError } from "llm-worker";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ollama } from "../src/ollama.js";
import { OllamaScheme } from "../src/scheme.js";

const fixture = readFileSync(new URL("fixtures/tool-turn.ndjson", import.meta.url));
const request = { tools: [], items: [user("How is the weather?")] };

let server: LoopbackServer;

beforeEach(async () => {
  vi.stubEnv("OLLAMA_HOST", undefined);
  vi.stubEnv("OLLAMA_API_KEY", undefined);
  server = await startServer(fixture, "application/x-ndjson");
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

test("L1: a turn over HTTP has text, thinking, tool calls and usage", async () => {
  const events = await ask(ollama({ model: "test", baseUrl: server.baseUrl }), request);
  expect(toOutcome(events)).toEqual({
    outcome: "ok",
    text: "I look it up: 天気.",
    reasoning: "Zürich, also 🌧️.",
    refusal: "",
    toolCalls: [
      { id: "call_fixture1", name: "weather", arguments: { city: "Zürich" } },
      { id: "call_fixture2", name: "now", arguments: {} },
    ],
    stopReason: "tool_use",
    usage: {
      inputTotal: 331,
      cacheRead: null,
      cacheWrite: null,
      outputTotal: 57,
      reasoning: null,
    },
    parts: ["reasoning", "text", "tool_call", "tool_call"],
    error: undefined,
  });
  expect(server.received).toMatchObject([
    {
      url: "/api/chat",
      headers: { "content-type": "application/json", accept: "application/x-ndjson" },
      body: { model: "test", stream: true },
    },
  ]);
  expect(server.received[0]?.headers).not.toHaveProperty("authorization");
});

test("F1, F4: the fixture decodes alike at any piece length", () => {
  const scheme = new OllamaScheme({ model: "test" });
  const whole = decodeStream(scheme, [fixture]);
  for (let length = 1; length < 40; length += 1) {
    expect(decodeStream(scheme, piecesOf(fixture, length))).toEqual(whole);
  }
});

describe("the server", () => {
  test.each(["", "/", "/api", "/api/chat", "/api/\n"])(
    "may be written with %j at its end",
    async (path) => {
      await ask(ollama({ model: "test", baseUrl: server.baseUrl + path }), request);
      expect(server.received[0]?.url).toBe("/api/chat");
    },
  );

  test("is the one in OLLAMA_HOST, however that is written", async () => {
    vi.stubEnv("OLLAMA_HOST", new URL(server.baseUrl).host.replace("127.0.0.1", "0.0.0.0"));
    expect(toOutcome(await ask(ollama({ model: "test" }), request)).outcome).toBe("ok");
  });

  test("has to be an HTTP address", () => {
    expect(() => ollama({ model: "test", baseUrl: "localhost:11434" })).toThrow(LlmError);
  });
});

describe("the key", () => {
  test("is sent to whatever server it is given for", async () => {
    const { baseUrl } = server;
    await ask(ollama({ model: "test", baseUrl, apiKey: "key-given\n" }), request);
    expect(server.received[0]?.headers.authorization).toBe("Bearer key-given");
  });

  test("in the environment is for the hosted service, not for other servers", async () => {
    vi.stubEnv("OLLAMA_API_KEY", "key-from-env");
    expect(() => ollama({ model: "test", baseUrl: "https://ollama.com" })).not.toThrow();
    await ask(ollama({ model: "test", baseUrl: server.baseUrl }), request);
    expect(server.received[0]?.headers).not.toHaveProperty("authorization");
  });

  test("is missed at once where one is needed, by the name of its variable", () => {
    const hosted = { model: "test", baseUrl: "https://ollama.com/api" };
    expect(() => ollama(hosted)).toThrow(MissingApiKeyError);
    expect(() => ollama({ ...hosted, apiKey: " " })).toThrow("OLLAMA_API_KEY");
  });
});

test("further headers go along and win over ours", async () => {
  const headers = { authorization: "Basic x", "x-proxy": "y" };
  await ask(
    ollama({ model: "test", baseUrl: server.baseUrl, apiKey: "key-given", headers }),
    request,
  );
  expect(server.received[0]?.headers).toMatchObject(headers);
});
