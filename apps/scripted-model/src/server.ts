import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay, setImmediate as nextTick } from "node:timers/promises";
import { cutBytes } from "./pieces.js";
import { PromptCache } from "./prompt-cache.js";
import { seededRandom } from "./random.js";
import { anthropicWire } from "./wires/anthropic.js";
import { geminiWire } from "./wires/gemini.js";
import { ollamaWire } from "./wires/ollama.js";
import { openaiChatWire } from "./wires/openai-chat.js";
import { openaiResponsesWire } from "./wires/openai-responses.js";
import type { Fault, Wire, WireReply, WireRequest } from "./wires/wire.js";

/** How a scripted model server behaves. Each `…Once` concerns the first request that it fits. */
export interface ScriptedModelOptions {
  /** On 127.0.0.1. Default: a free one. */
  readonly port?: number | undefined;
  /** Answers one request with 429 and this delay, told in the way of its wire. */
  readonly rateLimitOnceSeconds?: number | undefined;
  /** Answers one request with the overload of its wire: 529 or 503. */
  readonly overloadOnce?: boolean | undefined;
  /** Breaks the connection in the middle of one stream. */
  readonly cutStreamOnce?: boolean | undefined;
  /** Waits so long before each piece of a stream. */
  readonly slowMs?: number | undefined;
  /** Another seed gives other ids and other cuts, not other answers. Default 1. */
  readonly seed?: number | undefined;
}

/** A request as the server got it, and the status that it answered with. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  readonly status: number;
}

/** A scripted model that runs. */
export interface ScriptedModel {
  /** Such as `http://127.0.0.1:40123`: the base URL for a provider, without any path. */
  readonly url: string;
  /** The last {@link MAX_RECEIVED_REQUESTS} requests, oldest first. */
  readonly requests: readonly ReceivedRequest[];
  /** Breaks open connections and frees the port. */
  close(): Promise<void>;
}

/** So many requests a model keeps for whoever looks at them. */
export const MAX_RECEIVED_REQUESTS = 500;
const MAX_BODY_BYTES = 32 * 1024 * 1024;
const WIRES: readonly Wire[] = [
  anthropicWire,
  openaiChatWire,
  openaiResponsesWire,
  geminiWire,
  ollamaWire,
];

/**
 * Starts a scripted model in this process. It keeps no history: it sees only what each request holds.
 *
 * @throws the error of `listen`, such as `EADDRINUSE`
 */
export async function startScriptedModel(
  options: ScriptedModelOptions = {},
): Promise<ScriptedModel> {
  const requests: ReceivedRequest[] = [];
  const respond = createAnswerer(options, requests);
  const server = createServer((incoming, outgoing) => {
    // Only a client that has gone away ends here: nobody is left to be told.
    respond(incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a TCP port has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async close() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

type Answerer = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

function createAnswerer(options: ScriptedModelOptions, requests: ReceivedRequest[]): Answerer {
  const { seed = 1, slowMs = 0 } = options;
  const context = { seed, cache: new PromptCache() };
  const faults = plannedFaults(options);
  let cutsLeft = options.cutStreamOnce === true ? 1 : 0;

  return async (incoming, outgoing) => {
    const { request, isTooLarge } = await readRequest(incoming);
    const wire = WIRES.find((candidate) => candidate.owns(request.path)) ?? anthropicWire;
    const fault = isTooLarge ? { type: "too_large" as const } : nextFault(wire, request);
    const reply = fault ? wire.replyFault(fault, request) : answer(wire, request);
    record(requests, request, reply);
    outgoing.writeHead(reply.status, reply.headers);
    if (!reply.isStream) {
      outgoing.end(reply.body);
      return;
    }
    outgoing.flushHeaders();
    const isCut = cutsLeft > 0;
    cutsLeft -= isCut ? 1 : 0;
    const bytes = isCut ? reply.body.subarray(0, reply.body.length / 2) : reply.body;
    const random = seededRandom(`${seed} ${request.body.length} ${reply.body.length}`);
    await sendPieces(outgoing, cutBytes(bytes, random), slowMs);
    if (isCut) outgoing.destroy();
    else outgoing.end();
  };

  function nextFault(wire: Wire, { path }: WireRequest): Fault | undefined {
    return wire.owns(path) ? faults.shift() : undefined;
  }

  function answer(wire: Wire, request: WireRequest): WireReply {
    try {
      return wire.reply(request, context);
    } catch (error) {
      return wire.replyFault(
        { type: "failure", message: `scripted-model: ${String(error)}` },
        request,
      );
    }
  }
}

function plannedFaults({ rateLimitOnceSeconds, overloadOnce }: ScriptedModelOptions): Fault[] {
  const faults: Fault[] = [];
  if (rateLimitOnceSeconds !== undefined) {
    faults.push({ type: "rate_limit", retryAfterSeconds: rateLimitOnceSeconds });
  }
  if (overloadOnce === true) faults.push({ type: "overload" });
  return faults;
}

/** Each piece in a turn of its own, so that the network does not join them. */
async function sendPieces(
  outgoing: ServerResponse,
  pieces: Iterable<Uint8Array>,
  slowMs: number,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  for (const piece of pieces) {
    if (slowMs > 0) await delay(slowMs, undefined, { signal: gone.signal });
    else await nextTick();
    gone.signal.throwIfAborted();
    if (!outgoing.write(piece)) await once(outgoing, "drain", { signal: gone.signal });
  }
}

/** The whole request; of a body that is too large only what was allowed. */
async function readRequest(
  incoming: IncomingMessage,
): Promise<{ request: WireRequest; isTooLarge: boolean }> {
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  // A request has a body of chunks; nothing has set an encoding.
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    byteCount += chunk.length;
    if (byteCount <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  const headers = Object.entries(incoming.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(", ") : value,
  ]);
  const request = {
    method: incoming.method ?? "GET",
    ...readTarget(incoming.url ?? "/"),
    headers: Object.fromEntries(headers),
    body: Buffer.concat(chunks),
  };
  return { request, isTooLarge: byteCount > MAX_BODY_BYTES };
}

function readTarget(target: string): Pick<WireRequest, "path" | "query"> {
  const [path = "/", query = ""] = target.split(/\?(.*)/su, 2);
  return { path, query: new URLSearchParams(query) };
}

function record(requests: ReceivedRequest[], request: WireRequest, reply: WireReply): void {
  const { method, path, headers } = request;
  const body = Buffer.from(request.body).toString("utf8");
  requests.push({ method, path, headers, body, status: reply.status });
  if (requests.length > MAX_RECEIVED_REQUESTS) requests.shift();
}
