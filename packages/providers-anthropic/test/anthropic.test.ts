import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type Event, type Provider, userMessage } from "llm-worker";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { anthropic, MissingApiKeyError } from "../src/anthropic.js";
import { decode, piecesOf } from "./decode.js";
import { toOutcome } from "./outcome.js";

const fixture = readFileSync(new URL("fixtures/tool-turn.sse", import.meta.url));

interface Received {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

let server: Server;
let baseUrl: string;
const received: Received[] = [];

beforeEach(async () => {
  vi.stubEnv("ANTHROPIC_API_KEY", undefined);
  received.length = 0;
  server = createServer((request, response) => {
    void text(request).then(async (body) => {
      received.push({ url: request.url, headers: request.headers, body: JSON.parse(body) });
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const piece of piecesOf(fixture, 7)) {
        await new Promise((resolve) => response.write(piece, resolve));
      }
      response.end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
});

async function ask(provider: Provider): Promise<Event[]> {
  const events: Event[] = [];
  const request = { tools: [], items: [userMessage("How is the weather?")] };
  for await (const batch of provider.stream(request)) events.push(...batch);
  return events;
}

test("a turn over HTTP has text, thinking, tool calls and usage", async () => {
  const events = await ask(anthropic({ model: "claude-test", apiKey: "sk-test", baseUrl }));
  expect(toOutcome(events)).toEqual({
    outcome: "ok",
    text: "I look it up: 天気.",
    reasoning: "Zürich, also 🌧️.",
    toolCalls: [
      { id: "toolu_fixture_1", name: "weather", arguments: { city: "Zürich" } },
      { id: "toolu_fixture_2", name: "now", arguments: {} },
    ],
    stopReason: "tool_use",
    usage: { inputTotal: 331, cacheRead: 300, cacheWrite: 20, outputTotal: 57, reasoning: null },
    parts: ["reasoning", "text", "tool_call", "tool_call"],
    error: undefined,
  });
  expect(received).toMatchObject([
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
    await ask(anthropic({ model: "claude-test", baseUrl }));
    expect(received[0]?.headers["x-api-key"]).toBe("sk-from-env");
  });

  test("is missed at once, by the name of its variable", () => {
    expect(() => anthropic({ model: "claude-test" })).toThrow(MissingApiKeyError);
    expect(() => anthropic({ model: "claude-test", apiKey: " " })).toThrow("ANTHROPIC_API_KEY");
  });

  test("is not needed for another server", async () => {
    const events = await ask(anthropic({ model: "claude-test", baseUrl: `${baseUrl}/v1/` }));
    expect(toOutcome(events).outcome).toBe("ok");
    expect(received[0]?.url).toBe("/v1/messages");
    expect(received[0]?.headers).not.toHaveProperty("x-api-key");
  });
});

test("further headers go along and win over ours", async () => {
  const headers = { authorization: "Bearer x", "anthropic-version": "2023-06-01" };
  await ask(anthropic({ model: "claude-test", baseUrl, headers }));
  expect(received[0]?.headers).toMatchObject(headers);
});
