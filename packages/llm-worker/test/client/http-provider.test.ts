import { once } from "node:events";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import {
  HttpProvider,
  type HttpProviderOptions,
  type HttpRuntime,
} from "../../src/client/http-provider.js";
import { LlmError } from "../../src/client/llm-error.js";
import type { StreamOptions } from "../../src/client/provider.js";
import type { WireRequest } from "../../src/client/scheme.js";
import { WireBody } from "../../src/client/wire-body.js";
import type { Event } from "../../src/model/event.js";
import { userMessage } from "../../src/model/item.js";
import type { LlmRequest } from "../../src/model/request.js";
import { EventScheme } from "./event-scheme.js";
import { type Answer, answer, beginStream, hang, Loopback, reset } from "./loopback.js";

const request: LlmRequest = { tools: [], items: [userMessage("hello")] };

const started: Event = { type: "status", status: "response_started" };
const begin: Event = { type: "block_start", index: 0, kind: "text" };
const words: Event = { type: "block_delta", index: 0, text: "grüße 😀" };
const stop: Event = { type: "block_stop", index: 0 };
const finished: Event = { type: "status", status: "response_finished", stop: { reason: "end" } };
const answerEvents: readonly Event[] = [started, begin, words, stop, finished];
const overloaded: Event = {
  type: "error",
  error: { code: "overloaded", message: "busy", retryable: true },
};

const sse = (...events: readonly Event[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const EVENT_STREAM = { "content-type": "text/event-stream" };
const wholeAnswer = answer(200, EVENT_STREAM, sse(...answerEvents));

const servers: Loopback[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function serve(...answers: readonly Answer[]): Promise<Loopback> {
  const server = await Loopback.start(...answers);
  servers.push(server);
  return server;
}

function providerFor(
  server: Loopback,
  options: Partial<HttpProviderOptions<{ isOver: boolean }>> = {},
): { provider: HttpProvider<{ isOver: boolean }>; slept: number[] } {
  const slept: number[] = [];
  const runtime: Partial<HttpRuntime> = {
    random: () => 0,
    sleep: async (ms, signal) => {
      slept.push(ms);
      signal?.throwIfAborted();
    },
    ...options.runtime,
  };
  const scheme = new EventScheme();
  return {
    provider: new HttpProvider({ scheme, baseUrl: server.url, ...options, runtime }),
    slept,
  };
}

async function collect(
  provider: HttpProvider<{ isOver: boolean }>,
  options: StreamOptions = {},
): Promise<Event[]> {
  const events: Event[] = [];
  for await (const batch of provider.stream(request, options)) events.push(...batch);
  return events;
}

const retryStatuses = (events: readonly Event[]): Event[] =>
  events.filter((event) => event.type === "status" && event.status === "retrying");

/** What a program gets that holds a second copy of this package. */
async function copyOf(error: LlmError): Promise<LlmError> {
  vi.resetModules();
  const copy = await import("../../src/client/llm-error.js");
  return new copy.LlmError(error.code, error.message, error);
}

describe("an answer", () => {
  test("becomes events, with the request sent as the scheme built it", async () => {
    const server = await serve(wholeAnswer);
    let bodyBytes = 0;
    const { provider } = providerFor(server, { headers: { "X-Api-Key": "secret-key" } });
    const events = await collect(provider, { onRequest: (facts) => ({ bodyBytes } = facts) });
    expect(events).toEqual(answerEvents);
    const [received] = server.requests;
    expect(received?.path).toBe("/v1/events");
    expect(received?.headers).toMatchObject({
      "x-api-key": "secret-key",
      "x-wire": "1",
      accept: "text/event-stream",
      "content-type": "application/json",
    });
    expect(JSON.parse(received?.body ?? "")).toEqual(request.items);
    expect(bodyBytes).toBe(Buffer.byteLength(received?.body ?? ""));
  });

  test.each([
    [new LlmError("invalid_request", "no such choice; use another"), "no such choice; use another"],
    [new TypeError("circular"), expect.stringMatching(/could not be built: circular; look for/)],
  ])("is not asked for where the scheme cannot build the request: %s", async (thrown, message) => {
    class RefusingScheme extends EventScheme {
      override buildRequest(): WireRequest {
        throw thrown;
      }
    }
    const server = await serve(wholeAnswer);
    const { provider } = providerFor(server, { scheme: new RefusingScheme() });
    expect(await collect(provider)).toEqual([
      { type: "error", error: { code: "invalid_request", message, retryable: false } },
    ]);
    expect(server.requests).toEqual([]);
  });

  test("comes to a body of many pieces too, which is sent with its length and sent again", async () => {
    const text = JSON.stringify({ text: "größe 🙂".repeat(10_000) });
    const bytes = Buffer.from(text);
    class PieceScheme extends EventScheme {
      override buildRequest(): WireRequest {
        const pieces = [0, 40_000, 80_000].map((at) => bytes.subarray(at, at + 40_000));
        return {
          path: "/",
          headers: {},
          body: new WireBody([...pieces, bytes.subarray(120_000)]),
        };
      }
    }
    const server = await serve(answer(503), wholeAnswer);
    let bodyBytes = 0;
    const { provider } = providerFor(server, { scheme: new PieceScheme() });
    const events = await collect(provider, { onRequest: (facts) => ({ bodyBytes } = facts) });
    expect(events.slice(1)).toEqual(answerEvents);
    expect(bodyBytes).toBe(bytes.length);
    expect(server.requests).toHaveLength(2);
    for (const { headers, body } of server.requests) {
      expect(headers["content-length"]).toBe(String(bytes.length));
      expect(headers["transfer-encoding"]).toBeUndefined();
      expect(body).toBe(text);
    }
  });

  test("may be split at any byte", async () => {
    const bytes = Buffer.from(sse(...answerEvents));
    const server = await serve(async (response) => {
      response.socket?.setNoDelay();
      for (const byte of bytes) {
        await new Promise((resolve) => response.write(Buffer.of(byte), resolve));
      }
      response.end();
    });
    expect(await collect(providerFor(server).provider)).toEqual(answerEvents);
  });

  test("is handed on piece by piece while the server still writes", async () => {
    let release = (): void => {};
    const server = await serve(
      beginStream(sse(started, begin), async (response) => {
        await new Promise<void>((resolve) => (release = resolve));
        response.end(sse(words, stop, finished));
      }),
    );
    const batches: (readonly Event[])[] = [];
    for await (const batch of providerFor(server).provider.stream(request)) {
      batches.push(batch);
      if (batches.length === 1) release();
    }
    expect(batches).toEqual([
      [started, begin],
      [words, stop, finished],
    ]);
  });

  test("may be one JSON document", async () => {
    const type = { "content-type": "application/json; charset=utf-8" };
    const server = await serve(answer(200, type, JSON.stringify(answerEvents)));
    expect(await collect(providerFor(server).provider)).toEqual(answerEvents);
  });

  test("may be a stream under the name of JSON", async () => {
    const type = { "content-type": "application/json" };
    const server = await serve(answer(200, type, sse(...answerEvents)));
    expect(await collect(providerFor(server).provider)).toEqual(answerEvents);
  });

  test("may be NDJSON, without an end to its last line", async () => {
    const lines = answerEvents.map((event) => JSON.stringify(event)).join("\n");
    const server = await serve(answer(200, { "content-type": "application/x-ndjson" }, lines));
    const { provider } = providerFor(server, { scheme: new EventScheme("ndjson") });
    expect(await collect(provider)).toEqual(answerEvents);
  });

  test("leaves its connection for the next request", async () => {
    const server = await serve(wholeAnswer);
    const { provider } = providerFor(server);
    for (let turn = 0; turn < 5; turn++) await collect(provider);
    expect(server.requests).toHaveLength(5);
    // undici opens a second one while it notices that the first is free again.
    expect(server.connectionCount).toBeLessThanOrEqual(2);
  });

  test("is complete at its end marker, however the connection ends", async () => {
    const cut = await serve(beginStream(sse(...answerEvents), reset));
    expect(await collect(providerFor(cut).provider)).toEqual(answerEvents);
    const heldOpen = await serve(beginStream(sse(...answerEvents), hang));
    expect(await collect(providerFor(heldOpen).provider)).toEqual(answerEvents);
    await heldOpen.connectionsClosed();
  });

  test("is complete at its end marker, although the server goes on with comments", async () => {
    const chatty = await serve(
      beginStream(sse(...answerEvents), (response) => {
        const timer = setInterval(() => response.write(": still here\n\n"), 50);
        response.on("close", () => clearInterval(timer));
      }),
    );
    expect(await collect(providerFor(chatty).provider)).toEqual(answerEvents);
    await chatty.connectionsClosed();
  });
});

describe("F15: a failure before the first block", () => {
  test("is what it is, although the scheme is of another copy of this package", async () => {
    const busy = await copyOf(new LlmError("rate_limited", "busy", { retryAfterMs: 700 }));
    const refused = await copyOf(new LlmError("auth", "no such key"));
    const errors = [busy, refused];
    class OtherScheme extends EventScheme {
      override parseError(): LlmError {
        return errors.shift() ?? busy;
      }
    }
    const server = await serve(answer(429, {}, ""), answer(401, {}, ""));
    const { provider, slept } = providerFor(server, { scheme: new OtherScheme() });
    expect((await collect(provider)).at(-1)).toEqual({ type: "error", error: refused.toInfo() });
    expect(slept).toEqual([700]);
  });

  test.each([408, 409, 429, 500, 502, 503, 529])("is retried after status %i", async (status) => {
    const server = await serve(answer(status), wholeAnswer);
    const { provider, slept } = providerFor(server);
    const events = await collect(provider);
    expect(retryStatuses(events)).toMatchObject([
      { attempt: 1, delayMs: 500, error: { status, retryable: true } },
    ]);
    expect(events.slice(1)).toEqual(answerEvents);
    expect(slept).toEqual([500]);
  });

  test.each([400, 401, 402, 403, 404, 413, 422])("is final after status %i", async (status) => {
    const server = await serve(answer(status), wholeAnswer);
    const events = await collect(providerFor(server).provider);
    expect(events).toMatchObject([{ type: "error", error: { status, retryable: false } }]);
    expect(server.requests).toHaveLength(1);
  });

  test("waits as long as the server asks", async () => {
    const server = await serve(
      answer(429, { "retry-after-ms": "1250", "retry-after": "9" }),
      answer(529, { "retry-after": "3" }),
      wholeAnswer,
    );
    const { provider, slept } = providerFor(server);
    await collect(provider);
    expect(slept).toEqual([1250, 3000]);
  });

  test("reads a date against the answer's own, whatever the clock says here", async () => {
    const date = "Thu, 01 Jan 2026 00:00:00 GMT";
    const later = "Thu, 01 Jan 2026 00:00:09 GMT";
    const server = await serve(answer(503, { date, "retry-after": later }), wholeAnswer);
    const { provider, slept } = providerFor(server, { runtime: { now: () => 0 } });
    await collect(provider);
    expect(slept).toEqual([9_000]);
  });

  test("reads a date against the clock where the answer has none of its own", async () => {
    const now = Date.UTC(2026, 0, 1);
    const later = new Date(now + 7_000).toUTCString();
    const server = await serve((response) => {
      response.sendDate = false;
      response.writeHead(503, { "retry-after": later }).end();
    }, wholeAnswer);
    const { provider, slept } = providerFor(server, { runtime: { now: () => now } });
    await collect(provider);
    expect(slept).toEqual([7_000]);
  });

  test("is reported at once if the server asks for more than maxRetryAfterMs", async () => {
    const server = await serve(answer(429, { "retry-after": "120" }), wholeAnswer);
    const events = await collect(providerFor(server).provider);
    expect(events).toMatchObject([
      { type: "error", error: { code: "rate_limited", retryable: true, retryAfterMs: 120_000 } },
    ]);
  });

  test("obeys x-should-retry in both ways", async () => {
    const no = await serve(answer(500, { "x-should-retry": "false" }), wholeAnswer);
    expect(await collect(providerFor(no).provider)).toMatchObject([{ type: "error" }]);
    const yes = await serve(answer(400, { "x-should-retry": "true" }), wholeAnswer);
    expect((await collect(providerFor(yes).provider)).slice(1)).toEqual(answerEvents);
  });

  test("is not retried when the quota is used up", async () => {
    const body = JSON.stringify({ error: { message: "pay", code: "insufficient_quota" } });
    const server = await serve(answer(429, {}, body), wholeAnswer);
    expect(await collect(providerFor(server).provider)).toMatchObject([
      { type: "error", error: { message: "pay", retryable: false } },
    ]);
  });

  test("is reported when the retries are used up", async () => {
    const server = await serve(answer(500));
    const { provider, slept } = providerFor(server, { retry: { maxRetries: 3 } });
    const events = await collect(provider);
    expect(events.at(-1)).toMatchObject({ type: "error", error: { code: "server" } });
    expect(slept).toEqual([500, 1000, 2000]);
    expect(server.requests).toHaveLength(4);
  });

  test("is told by its status, although its body is cut", async () => {
    const server = await serve(async (response) => {
      response.writeHead(401, { "content-length": "1000" });
      await new Promise((resolve) => response.write("wrong key", resolve));
      response.socket?.destroy();
    });
    const { provider, slept } = providerFor(server);
    expect((await collect(provider)).at(-1)).toMatchObject({
      type: "error",
      error: { code: "auth", status: 401, message: expect.stringContaining("wrong key") },
    });
    expect(slept).toEqual([]);
  });

  test("is retried after a cut connection", async () => {
    const server = await serve(reset, beginStream(sse(started), reset), wholeAnswer);
    const events = await collect(providerFor(server).provider);
    expect(retryStatuses(events)).toMatchObject([
      { error: { code: "network" } },
      { error: { code: "network" } },
    ]);
    expect(events.slice(-5)).toEqual(answerEvents);
  });

  test("A18: is retried after an error inside the stream", async () => {
    const server = await serve(
      answer(200, EVENT_STREAM, sse(started, { type: "ping" }, overloaded)),
      wholeAnswer,
    );
    const events = await collect(providerFor(server).provider);
    expect(events).toMatchObject([
      started,
      { type: "ping" },
      { type: "status", status: "retrying", error: { code: "overloaded" } },
      ...answerEvents,
    ]);
  });

  test("is a network error when nobody listens", async () => {
    const server = await serve(wholeAnswer);
    const { provider } = providerFor(server, { retry: { maxRetries: 0 } });
    await server.stop();
    servers.splice(0);
    expect(await collect(provider)).toMatchObject([
      { type: "error", error: { code: "network", retryable: true } },
    ]);
  });
});

describe("F16: a failure after the first block", () => {
  const partial = sse(started, begin, words);

  test("aborts the open blocks and is reported, not retried", async () => {
    const server = await serve(beginStream(partial, reset), wholeAnswer);
    const events = await collect(providerFor(server).provider);
    expect(events).toMatchObject([
      started,
      begin,
      words,
      { type: "block_abort", index: 0 },
      { type: "error", error: { code: "network", retryable: true } },
    ]);
    expect(server.requests).toHaveLength(1);
  });

  test("A18: is an error event of the server", async () => {
    const server = await serve(answer(200, EVENT_STREAM, partial + sse(overloaded)));
    const events = await collect(providerFor(server).provider);
    expect(events.slice(3)).toMatchObject([{ type: "block_abort", index: 0 }, overloaded]);
  });

  test("F6: is a clean end without the end marker", async () => {
    const server = await serve(answer(200, EVENT_STREAM, partial));
    const events = await collect(providerFor(server).provider);
    expect(events.slice(3)).toMatchObject([
      { type: "block_abort", index: 0 },
      { type: "error", error: { code: "protocol" } },
    ]);
  });

  test("F11: is a server that falls silent", async () => {
    const server = await serve(beginStream(partial, hang));
    const { provider } = providerFor(server, { timeouts: { idleMs: 40 } });
    const events = await collect(provider);
    expect(events.slice(3)).toMatchObject([
      { type: "block_abort", index: 0 },
      { type: "error", error: { code: "timeout", retryable: true } },
    ]);
    await server.connectionsClosed();
  });
});

test("a server that never answers is a timeout", async () => {
  const server = await serve(hang);
  const options = { timeouts: { firstByteMs: 40 }, retry: { maxRetries: 0 } };
  expect(await collect(providerFor(server, options).provider)).toMatchObject([
    { type: "error", error: { code: "timeout", retryable: true } },
  ]);
  await server.connectionsClosed();
});

describe("F17: an abort", () => {
  test("closes the connection and ends the stream", async () => {
    const server = await serve(beginStream(sse(started, begin, words), hang));
    const abort = new AbortController();
    const events: Event[] = [];
    for await (const batch of providerFor(server).provider.stream(request, abort)) {
      events.push(...batch);
      abort.abort();
    }
    expect(events.slice(3)).toMatchObject([
      { type: "block_abort", index: 0 },
      { type: "error", error: { code: "aborted", retryable: false } },
    ]);
    await server.connectionsClosed();
  });

  test("before the start sends nothing", async () => {
    const server = await serve(wholeAnswer);
    const events = await collect(providerFor(server).provider, { signal: AbortSignal.abort() });
    expect(events).toMatchObject([{ type: "error", error: { code: "aborted" } }]);
    expect(server.requests).toHaveLength(0);
  });

  test("while the server has not answered closes the connection", async () => {
    const abort = new AbortController();
    const server = await serve(() => abort.abort());
    const events = await collect(providerFor(server).provider, abort);
    expect(events).toMatchObject([{ type: "error", error: { code: "aborted" } }]);
    await server.connectionsClosed();
  });

  test("ends the wait before a retry", async () => {
    const server = await serve(answer(500));
    const abort = new AbortController();
    const { provider } = providerFor(server, {
      runtime: {
        sleep: async (_ms, signal) => {
          queueMicrotask(() => abort.abort());
          if (signal !== undefined) await once(signal, "abort");
        },
      },
    });
    const events = await collect(provider, abort);
    expect(events).toMatchObject([
      { type: "status", status: "retrying" },
      { type: "error", error: { code: "aborted" } },
    ]);
    expect(server.requests).toHaveLength(1);
  });

  test("does not wait for a headers function that hangs", async () => {
    const server = await serve(wholeAnswer);
    const abort = new AbortController();
    const headers = async (): Promise<Record<string, string>> => {
      queueMicrotask(() => abort.abort());
      return new Promise(() => {});
    };
    const events = await collect(providerFor(server, { headers }).provider, abort);
    expect(events).toMatchObject([{ type: "error", error: { code: "aborted" } }]);
  });
});

test("a headers function that hangs is a timeout", async () => {
  const server = await serve(wholeAnswer);
  const headers = (): Promise<Record<string, string>> => new Promise(() => {});
  const timeouts = { firstByteMs: 20 };
  const { provider } = providerFor(server, { headers, timeouts, retry: { maxRetries: 0 } });
  expect(await collect(provider)).toMatchObject([
    { type: "error", error: { code: "timeout", message: expect.stringContaining("headers") } },
  ]);
  expect(server.requests).toEqual([]);
});

test("leaving the loop closes the connection", async () => {
  const server = await serve(beginStream(sse(started, begin), hang));
  for await (const batch of providerFor(server).provider.stream(request)) {
    expect(batch).toEqual([started, begin]);
    break;
  }
  await server.connectionsClosed();
});

describe("an answer that is no event stream", () => {
  test("is not followed to another address, and the key stays here", async () => {
    const other = await serve(wholeAnswer);
    const server = await serve(answer(307, { location: `${other.url}/v1/events` }));
    const { provider } = providerFor(server, { headers: { "x-api-key": "secret-key" } });
    expect(await collect(provider)).toMatchObject([
      {
        type: "error",
        error: {
          code: "protocol",
          message: expect.stringContaining(`redirects to ${other.url};`),
          status: 307,
          retryable: false,
        },
      },
    ]);
    expect(other.requests).toHaveLength(0);
  });

  test("is refused when it is a web page", async () => {
    const server = await serve(answer(200, { "content-type": "text/html" }, "<html>"));
    const [event] = await collect(providerFor(server).provider);
    expect(event).toMatchObject({ error: { code: "protocol", retryable: false } });
  });

  test("is refused when it is compressed, and not asked for again", async () => {
    const headers = { ...EVENT_STREAM, "content-encoding": "gzip" };
    const server = await serve(answer(200, headers, gzipSync(sse(...answerEvents))));
    expect(await collect(providerFor(server).provider)).toMatchObject([
      { type: "error", error: { code: "protocol", message: expect.stringContaining("gzip") } },
    ]);
    expect(server.requests).toMatchObject([{ headers: { "accept-encoding": "identity" } }]);
    const plain = { ...EVENT_STREAM, "content-encoding": "identity" };
    const other = await serve(answer(200, plain, sse(...answerEvents)));
    expect(await collect(providerFor(other).provider)).toEqual(answerEvents);
  });

  test("F13: gives the title of an error page as the message", async () => {
    const page = "<!DOCTYPE html><html><title>Bad\n gateway</title><body>…</body></html>";
    const server = await serve(answer(403, { "content-type": "text/html" }, page));
    const [event] = await collect(providerFor(server).provider);
    expect(event).toMatchObject({ error: { code: "permission", message: "Bad gateway" } });
  });
});

describe("keys", () => {
  test("do not appear in an error that echoes them", async () => {
    const body = JSON.stringify({ error: { message: "wrong key: sk-123456789, see …" } });
    const server = await serve(answer(401, {}, body));
    const headers = { authorization: "Bearer sk-123456789" };
    const [event] = await collect(providerFor(server, { headers }).provider);
    expect(event).toMatchObject({
      error: { code: "auth", message: "wrong key: [redacted], see …" },
    });
  });

  test("that no header can hold are refused without being shown", async () => {
    const server = await serve(wholeAnswer);
    const headers = { "x-api-key": "sk-12345\n6789" };
    const events = await collect(providerFor(server, { headers }).provider);
    expect(events).toMatchObject([{ type: "error", error: { code: "invalid_request" } }]);
    expect(JSON.stringify(events)).not.toContain("12345");
  });

  test("are asked for before each attempt", async () => {
    const server = await serve(answer(503), wholeAnswer);
    let turn = 0;
    const headers = (): Record<string, string> => ({ "x-api-key": `key-${++turn}` });
    await collect(providerFor(server, { headers }).provider);
    expect(server.requests.map((received) => received.headers["x-api-key"])).toEqual([
      "key-1",
      "key-2",
    ]);
  });

  test("that cannot be had are an auth error without the cause's words", async () => {
    const server = await serve(wholeAnswer);
    const headers = async (): Promise<Record<string, string>> => {
      throw new Error("vault refused sk-123456789");
    };
    const events = await collect(providerFor(server, { headers }).provider);
    expect(events).toMatchObject([{ type: "error", error: { code: "auth" } }]);
    expect(JSON.stringify(events)).not.toContain("sk-123456789");
  });
});

test("a request of a scheme of another copy is refused in the scheme's words", async () => {
  const thrown = await copyOf(new LlmError("context_too_long", "too much of it"));
  class RefusingScheme extends EventScheme {
    override buildRequest(): WireRequest {
      throw thrown;
    }
  }
  const server = await serve(wholeAnswer);
  const { provider } = providerFor(server, { scheme: new RefusingScheme() });
  expect(await collect(provider)).toEqual([{ type: "error", error: thrown.toInfo() }]);
});

test("a program that does not have undici is told so, and nothing is tried again", async () => {
  const server = await serve(wholeAnswer);
  vi.doMock("undici", () => {
    throw new Error("Dynamic require of node:assert is not supported");
  });
  onTestFinished(() => vi.doUnmock("undici"));
  const { provider, slept } = providerFor(server);
  expect(await collect(provider)).toMatchObject([
    {
      type: "error",
      error: {
        code: "invalid_request",
        message: expect.stringMatching(/undici could not be loaded/),
      },
    },
  ]);
  expect(slept).toEqual([]);
});

test("a request that the wire cannot say is an error event", async () => {
  const server = await serve(wholeAnswer);
  const events: Event[] = [];
  for await (const batch of providerFor(server).provider.stream({ tools: [], items: [] })) {
    events.push(...batch);
  }
  expect(events).toMatchObject([{ type: "error", error: { code: "invalid_request" } }]);
});

test.each(["connectMs", "firstByteMs", "idleMs"])(
  "a %s that is no number is refused: it would be no limit",
  (name) => {
    const create = (ms: number) => () =>
      new HttpProvider({
        scheme: new EventScheme(),
        baseUrl: "http://127.0.0.1",
        timeouts: { [name]: ms },
      });
    expect(create(Number.NaN)).toThrow(`timeouts.${name} is NaN`);
    expect(create(-1)).toThrow(`timeouts.${name} is -1`);
    for (const ms of [0, 1, Infinity]) expect(create(ms)).not.toThrow();
  },
);

test("a base URL that is none is refused at once", () => {
  const scheme = new EventScheme();
  for (const baseUrl of ["", "localhost:8080", "ftp://example.org"]) {
    expect(() => new HttpProvider({ scheme, baseUrl })).toThrow("http://");
  }
});

test("what of a base URL would not be sent is refused at once, and not shown", () => {
  const scheme = new EventScheme();
  for (const rest of ["me:private@host/v1", "me@host", "host/v1?key=private", "host/#private"]) {
    const create = () => new HttpProvider({ scheme, baseUrl: `https://${rest}` });
    expect(create).toThrow("baseUrl may name a server and a path");
    expect(create).not.toThrow("private");
  }
});

test.each(["/path", "/path//", "/path \n", "/path?"])("a base URL may end in %j", async (end) => {
  const server = await serve(wholeAnswer);
  const { provider } = providerFor(server, { baseUrl: `${server.url}${end}` });
  await collect(provider);
  expect(server.requests[0]?.path).toBe("/path/v1/events");
});
