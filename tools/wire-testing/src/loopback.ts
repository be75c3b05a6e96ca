import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Event, LlmRequest, Provider } from "llm-worker";
import { piecesOf } from "./pieces.js";

/** A request as it came in. */
export interface ReceivedRequest {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** A server on loopback that gives the same answer to everything. */
export interface LoopbackServer {
  readonly baseUrl: string;
  readonly received: readonly ReceivedRequest[];
  close(): Promise<void>;
}

/** Starts a server that answers with these bytes, in small pieces. */
export async function startServer(
  answer: Uint8Array,
  contentType = "text/event-stream",
): Promise<LoopbackServer> {
  const received: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      received.push({ url: request.url, headers: request.headers, body: JSON.parse(body) });
      response.writeHead(200, { "content-type": contentType });
      for (const piece of piecesOf(answer, 7)) {
        await new Promise((resolve) => response.write(piece, resolve));
      }
      response.end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    received,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
      });
    },
  };
}

/** All events of one answer. */
export async function ask(provider: Provider, request: LlmRequest): Promise<readonly Event[]> {
  const events: Event[] = [];
  for await (const batch of provider.stream(request)) events.push(...batch);
  return events;
}

/** A `fetch` for official SDKs that answers with these bytes. */
export function fetchOf(
  bytes: Uint8Array,
  contentType = "text/event-stream",
): () => Promise<Response> {
  return async () => new Response(Buffer.from(bytes), { headers: { "content-type": contentType } });
}
