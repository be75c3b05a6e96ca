import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A request as the server got it. */
export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export type Answer = (response: ServerResponse) => void | Promise<void>;

/** A server on loopback that gives its answers in order, the last one again and again. */
export class Loopback {
  readonly requests: ReceivedRequest[] = [];
  connectionCount = 0;
  readonly #server: Server;
  readonly #closed: Promise<void>[] = [];

  private constructor(answers: readonly Answer[]) {
    let next = 0;
    this.#server = createServer((request, response) => {
      const answer = answers[Math.min(next++, answers.length - 1)];
      this.#closed.push(new Promise((resolve) => request.socket.once("close", () => resolve())));
      void text(request).then(async (body) => {
        this.requests.push({ path: request.url ?? "", headers: request.headers, body });
        await answer?.(response);
      });
    });
    this.#server.on("connection", () => this.connectionCount++);
  }

  static async start(...answers: readonly Answer[]): Promise<Loopback> {
    const loopback = new Loopback(answers);
    await new Promise<void>((resolve) => {
      loopback.#server.listen(0, "127.0.0.1", resolve);
    });
    return loopback;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when the connections of all requests so far are closed. */
  async connectionsClosed(): Promise<void> {
    await Promise.all(this.#closed);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }
}

/** Answers with a status and a body. */
export function answer(
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body: string | Uint8Array = "",
): Answer {
  return (response) => {
    response.writeHead(status, headers).end(body);
  };
}

/** Begins an event stream with some text and goes on with `then`. */
export function beginStream(body: string | Uint8Array, then: Answer): Answer {
  return async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    await new Promise((resolve) => response.write(body, resolve));
    await then(response);
  };
}

/** Never answers again. */
export const hang: Answer = () => {};

/** Cuts the connection. */
export const reset: Answer = (response) => {
  response.socket?.destroy();
};
