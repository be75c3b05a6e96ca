import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import {
  type ScriptedModel,
  type ScriptedModelOptions,
  startScriptedModel,
} from "../src/server.js";
import { parseEvents, post, requestBody } from "./support/messages.js";
import { postTo, type TestWire, testWires } from "./support/test-wires.js";

const open: ScriptedModel[] = [];
afterEach(async () => {
  for (const model of open.splice(0)) await model.close();
});

async function start(options?: ScriptedModelOptions): Promise<ScriptedModel> {
  const model = await startScriptedModel(options);
  open.push(model);
  return model;
}

const streamed = requestBody({ stream: true });

test("the same request and seed give the same bytes, another seed other ids", async () => {
  const texts: string[] = [];
  for (const seed of [1, 1, 2]) {
    const model = await start({ seed });
    texts.push(await (await post(model.url, streamed)).text());
  }
  expect(texts[0]).toBe(texts[1]);
  expect(texts[0]).not.toBe(texts[2]);
});

test("a stream arrives in many small pieces, some cut inside a character", async () => {
  const model = await start();
  const body = JSON.stringify(
    requestBody({
      stream: true,
      messages: [{ role: "user", content: 'Where is "日本語日本語日本語"?' }],
    }),
  );
  const chunks: Buffer[] = [];
  const { port } = new URL(model.url);
  const socket = connect(Number(port), "127.0.0.1");
  socket.write(
    "POST /v1/messages HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-api-key: k\r\n" +
      `anthropic-version: 2026-10-21\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(socket, "close");
  const raw = Buffer.concat(chunks).toString("latin1");
  // Each piece is one chunk of the transfer encoding: a hexadecimal size before it.
  const sizes = raw.match(/(?<=\r\n)[0-9a-f]+(?=\r\n)/g) ?? [];
  expect(sizes.length).toBeGreaterThan(30);
  expect(raw).toMatch(/[\xe0-\xef][\x80-\xbf]?\r\n[0-9a-f]+\r\n[\x80-\xbf]/);
});

test("a rate limit and an overload are played once each, in the provider's shape", async () => {
  const model = await start({ rateLimitOnceSeconds: 7, overloadOnce: true });
  const limited = await post(model.url, streamed);
  expect(limited.status).toBe(429);
  expect(limited.headers.get("retry-after")).toBe("7");
  expect(await limited.json()).toMatchObject({
    type: "error",
    error: { type: "rate_limit_error" },
  });
  const overloaded = await post(model.url, streamed);
  expect(overloaded.status).toBe(529);
  expect(await overloaded.json()).toMatchObject({ error: { type: "overloaded_error" } });
  expect((await post(model.url, streamed)).status).toBe(200);
});

test("one stream is cut in the middle, the next is whole", async () => {
  const model = await start({ cutStreamOnce: true });
  const cut = await post(model.url, streamed);
  expect(cut.status).toBe(200);
  await expect(cut.text()).rejects.toThrow("terminated");
  const whole = await (await post(model.url, streamed)).text();
  expect(parseEvents(whole).at(-1)).toEqual({ type: "message_stop" });
});

const { openaiChat, openaiResponses, gemini, ollama } = testWires;
const byHeader = (response: Response): string | null => response.headers.get("retry-after");
const wires: readonly (readonly [string, TestWire, object, number, object])[] = [
  [
    "openai-chat",
    openaiChat,
    { error: { code: "rate_limit_exceeded" } },
    503,
    { error: { code: "server_is_overloaded" } },
  ],
  [
    "openai-responses",
    openaiResponses,
    { error: { code: "rate_limit_exceeded" } },
    503,
    { error: { code: "server_is_overloaded" } },
  ],
  [
    "gemini",
    gemini,
    {
      error: {
        status: "RESOURCE_EXHAUSTED",
        details: [{}, { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "7s" }],
      },
    },
    503,
    { error: { status: "UNAVAILABLE" } },
  ],
  [
    "ollama",
    ollama,
    { error: "too many requests" },
    503,
    { error: expect.stringContaining("server busy") },
  ],
];

test.each(wires)(
  "%s: a rate limit tells its delay and an overload has its own status, in the provider's shape",
  async (name, wire, limit, overloadStatus, overload) => {
    const model = await start({ rateLimitOnceSeconds: 7, overloadOnce: true });
    const limited = await postTo(wire, model.url, wire.body("stream"), "stream");
    expect(limited.status).toBe(429);
    expect(byHeader(limited)).toBe(name === "gemini" ? null : "7");
    expect(await limited.json()).toMatchObject(limit);
    const overloaded = await postTo(wire, model.url, wire.body("stream"), "stream");
    expect(overloaded.status).toBe(overloadStatus);
    expect(await overloaded.json()).toMatchObject(overload);
    const answered = await postTo(wire, model.url, wire.body("stream"), "stream");
    expect(answered.status).toBe(200);
    await answered.text();
  },
);

test.each(wires)(
  "%s: one stream is cut in the middle, the same request is answered the same again",
  async (_name, wire) => {
    const model = await start({ cutStreamOnce: true });
    const ask = (): Promise<Response> => postTo(wire, model.url, wire.body("stream"), "stream");
    const cut = await ask();
    expect(cut.status).toBe(200);
    await expect(cut.text()).rejects.toThrow("terminated");
    const [first, second] = [await (await ask()).text(), await (await ask()).text()];
    expect(wire.parseStream(first).length).toBeGreaterThan(3);
    expect(second).toBe(first);
  },
);

test("a slow stream has begun before its first piece, and nobody has to wait for its end", async () => {
  const model = await start({ slowMs: 5000 });
  const abort = new AbortController();
  const response = await fetch(`${model.url}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": "k", "anthropic-version": "2026-10-21" },
    body: JSON.stringify(streamed),
    signal: abort.signal,
  });
  expect(response.status).toBe(200);
  abort.abort();
  await expect(response.text()).rejects.toThrow("aborted");
  // The server is not held up by the stream that nobody reads any more.
  await model.close();
});

test("what is sent is kept for tests, with the status it got", async () => {
  const model = await start();
  await post(model.url, "{");
  await post(model.url, requestBody());
  expect(model.requests.map(({ path, status }) => [path, status])).toEqual([
    ["/v1/messages", 400],
    ["/v1/messages", 200],
  ]);
  expect(JSON.parse(model.requests[1]?.body ?? "")).toEqual(requestBody());
  expect(model.requests[1]?.headers["anthropic-version"]).toBe("2026-10-21");
});

test("a port that is in use is an error, and closing twice is none", async () => {
  const model = await start();
  const port = Number(new URL(model.url).port);
  await expect(startScriptedModel({ port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  await model.close();
  await model.close();
});
