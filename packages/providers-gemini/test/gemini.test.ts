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
import { gemini } from "../src/gemini.js";
import { chunk, decode, end } from "./decode.js";

const fixture = readFileSync(new URL("fixtures/tool-turn.sse", import.meta.url));
let server: LoopbackServer;

beforeEach(async () => {
  vi.stubEnv("GEMINI_API_KEY", undefined);
  vi.stubEnv("GOOGLE_API_KEY", undefined);
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
  const { baseUrl } = server;
  const events = await ask(gemini({ model: "gemini-3-test", apiKey: "key-test", baseUrl }));
  expect(toOutcome(events)).toEqual({
    outcome: "ok",
    text: "I look it up: 天気.",
    reasoning: "Zürich, also 🌧️.",
    refusal: "",
    toolCalls: [
      { id: "fixture_1", name: "weather", arguments: { city: "Zürich" } },
      { id: "fixture_2", name: "now", arguments: {} },
    ],
    stopReason: "tool_use",
    usage: { inputTotal: 331, cacheRead: 300, cacheWrite: null, outputTotal: 57, reasoning: 37 },
    parts: ["reasoning", "text", "tool_call", "tool_call"],
    error: undefined,
  });
  expect(server.received).toMatchObject([
    {
      url: "/v1beta/models/gemini-3-test:streamGenerateContent?alt=sse",
      headers: {
        "x-goog-api-key": "key-test",
        "content-type": "application/json",
        accept: "text/event-stream",
      },
      body: { contents: [{ role: "user", parts: [{ text: "How is the weather?" }] }] },
    },
  ]);
});

test("F1, F2, F4: the fixture decodes alike at any piece length", () => {
  const whole = decode([fixture]);
  for (let length = 1; length < 40; length++) {
    expect(decode(piecesOf(fixture, length))).toEqual(whole);
  }
});

test("F3, F5, F10: byte order mark, comments, data in several lines and a bare end change nothing", () => {
  const text = fixture.toString().replaceAll("\r\n", "\n");
  const lines = text.replaceAll('","', '",\ndata:"').replaceAll("data: {", ": hello\n\ndata: \t {");
  const odd = Buffer.from(`\uFEFF: hello\n\n${lines.trimEnd()}`);
  expect(decode([odd])).toEqual(decode([fixture]));
});

test("G17: a server that answers with one list of chunks is understood", async () => {
  const list = Buffer.from(
    JSON.stringify([chunk([{ text: "Hel" }]), chunk([{ text: "lo" }]), end()]),
  );
  await server.close();
  server = await startServer(list, "application/json; charset=UTF-8");
  const events = await ask(gemini({ model: "gemini-test", baseUrl: server.baseUrl }));
  expect(toOutcome(events)).toMatchObject({ outcome: "ok", text: "Hello" });
});

describe("the key", () => {
  test("is read from GEMINI_API_KEY, else GOOGLE_API_KEY, without the line break at its end", async () => {
    vi.stubEnv("GOOGLE_API_KEY", "google-key\n");
    await ask(gemini({ model: "gemini-test", baseUrl: server.baseUrl }));
    vi.stubEnv("GEMINI_API_KEY", "gemini-key\n");
    await ask(gemini({ model: "gemini-test", baseUrl: server.baseUrl }));
    expect(server.received.map(({ headers }) => headers["x-goog-api-key"])).toEqual([
      "google-key",
      "gemini-key",
    ]);
  });

  test("G17: never is in the address", async () => {
    await ask(gemini({ model: "gemini-test", apiKey: "key-test", baseUrl: server.baseUrl }));
    expect(server.received[0]?.url).not.toContain("key");
  });

  test("is missed at once, by the names of its variables", () => {
    expect(() => gemini({ model: "gemini-test" })).toThrow(MissingApiKeyError);
    expect(() => gemini({ model: "gemini-test", apiKey: " " })).toThrow(
      "GEMINI_API_KEY or GOOGLE_API_KEY",
    );
  });

  test("is not needed for another server", async () => {
    const events = await ask(gemini({ model: "gemini-test", baseUrl: server.baseUrl }));
    expect(toOutcome(events).outcome).toBe("ok");
    expect(server.received[0]?.headers).not.toHaveProperty("x-goog-api-key");
  });
});

describe("the address", () => {
  test.each([
    ["/v1beta/", undefined, "/v1beta/"],
    ["/v1beta1", undefined, "/v1beta1/"],
    ["/v1", "v1alpha", "/v1alpha/"],
    ["/gateway", undefined, "/gateway/v1beta/"],
    ["/v1beta/\n", undefined, "/v1beta/"],
  ])("may end in %j", async (suffix, apiVersion, prefix) => {
    await ask(gemini({ model: "m", baseUrl: server.baseUrl + suffix, apiVersion }));
    expect(server.received[0]?.url).toBe(`${prefix}models/m:streamGenerateContent?alt=sse`);
  });
});

test("further headers go along and win over ours", async () => {
  const headers = { authorization: "Bearer x", "x-goog-api-key": "theirs" };
  const { baseUrl } = server;
  await ask(gemini({ model: "gemini-test", apiKey: "ours", baseUrl, headers }));
  expect(server.received[0]?.headers).toMatchObject(headers);
});
