import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";

/**
 * Answers every request with bytes that were made before, over a raw socket, so that what a client
 * costs is not mixed with what making the answer would.
 */
export class ModelServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #answer: Buffer;

  /** @param body in HTTP's chunked coding */
  constructor(contentType: string, body: Buffer) {
    const head = `HTTP/1.1 200 OK\r\ncontent-type: ${contentType}\r\ntransfer-encoding: chunked\r\n\r\n`;
    this.#answer = Buffer.concat([Buffer.from(head), body]);
    this.#server = createServer({ noDelay: true }, (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      // A client may leave when it has what it wants.
      socket.on("error", () => socket.destroy());
      answerRequests(socket, this.#answer);
    });
  }

  /** @returns the base URL */
  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    // It listens on TCP, so it has a port.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const HEAD_END = "\r\n\r\n";

/** Answers each request once its body is here. The clients say how long it is. */
function answerRequests(socket: Socket, answer: Buffer): void {
  let received = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
    for (;;) {
      const headEnd = received.indexOf(HEAD_END);
      if (headEnd < 0) return;
      const head = received.toString("latin1", 0, headEnd);
      const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
      const end = headEnd + HEAD_END.length + length;
      if (received.length < end) return;
      received = received.subarray(end);
      socket.write(answer);
    }
  });
}
