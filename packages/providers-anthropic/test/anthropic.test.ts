import { readFileSync } from "node:fs";
import {
  ask as askProvider,
  type LoopbackServer,
  piecesOf,
  startServer,
  toOutcome,
} from "@llm-worker/wire-testing";
import { type Event, MissingApiKeyError, type Provider, userMessage } from "llm-worker";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { anthropic } from "../src/anthropic.js";
import { decode } from "./decode.js";

const fixture = readFileSync(new URL("fixtures/tool-turn.sse", import.meta.url));
let server: LoopbackServer;

beforeEach(async () => {
  vi.stubEnv("ANTHROPIC_API_KEY", undefined);
  server = await startServer(fixture);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

function ask(provider: Provider): Promise<readonly Event[]> {
  return askProvider(provider, { tools: [], items: [userMessage("How is the weather?")] });
}

test("a turn over HTTP has text, thinking, tool calls and usage", async () => {
  const events = await ask(
    anthropic({ model: "claude-test", apiKey: "sk-test", baseUrl: server.baseUrl }),
  );
  expect(toOutcome(events)).toEqual({
    outcome: "ok",
    text: "I look it up: 天気.",
    reasoning: "Zürich, also 🌧️.",
    refusal: "",
    toolCalls: [
      { id: "toolu_fixture_1", name: "weather", arguments: { city: "Zürich" } },
      { id: "toolu_fixture_2", name: "now", arguments: {} },
    ],
    stopReason: "tool_use",
    usage: { inputTotal: 331, cacheRead: 300, cacheWrite: 20, outputTotal: 57, reasoning: null },
    parts: ["reasoning", "text", "tool_call", "tool_call"],
    error: undefined,
  });
  expect(server.received).toMatchObject([
    {
      url: "/v1/messages",
      headers: {
        "x-api-key": "sk-test",
        "anthropic-version": "2026-10-21",
        "content-type": "application/json",
        accept: "text/event-stream",
      },
      body: { model: "claude-test", stream: true },
    },
  ]);
});

test("the fixture decodes alike at any piece length", () => {
  const whole = decode([fixture]);
  for (let length = 1; length < 40; length++) {
    expect(decode(piecesOf(fixture, length))).toEqual(whole);
  }
});

describe("the key", () => {
  test("is read from ANTHROPIC_API_KEY, without the line break at its end", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "sk-from-env\n");
    await ask(anthropic({ model: "claude-test", baseUrl: server.baseUrl }));
    expect(server.received[0]?.headers["x-api-key"]).toBe("sk-from-env");
  });

  test("is missed at once, by the name of its variable", () => {
    expect(() => anthropic({ model: "claude-test" })).toThrow(MissingApiKeyError);
    expect(() => anthropic({ model: "claude-test", apiKey: " " })).toThrow("ANTHROPIC_API_KEY");
  });

  test("is not needed for another server", async () => {
    const events = await ask(
      anthropic({ model: "claude-test", baseUrl: `${server.baseUrl}/v1/\n` }),
    );
    expect(toOutcome(events).outcome).toBe("ok");
    expect(server.received[0]?.url).toBe("/v1/messages");
    expect(server.received[0]?.headers).not.toHaveProperty("x-api-key");
  });
});

test("further headers go along and win over ours", async () => {
  const headers = { authorization: "Bearer x", "anthropic-version": "2023-06-01" };
  await ask(anthropic({ model: "claude-test", baseUrl: server.baseUrl, headers }));
  expect(server.received[0]?.headers).toMatchObject(headers);
});
