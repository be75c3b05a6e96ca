import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { S3OperationName } from "../../src/s3/s3-sdk.js";
import { errorXml, parseS3Request, readAll } from "./s3-operation.js";

/** What goes wrong with one request. */
export type Fault =
  /** An answer of the proxy's own; upstream is not asked. */
  | {
      readonly type: "error";
      readonly status: number;
      readonly code: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Success is answered; upstream is not asked. */
  | { readonly type: "pretend" }
  /** Upstream carries it out; the answer is lost. */
  | { readonly type: "reset_after" }
  /** Upstream carries it out; before its answer is passed on, this is done. */
  | { readonly type: "meanwhile"; readonly act: () => void }
  /** Nothing is answered, ever. */
  | { readonly type: "hang" }
  /** One bit of the request's body is changed. */
  | { readonly type: "corrupt_request" }
  /** The head and so many bytes of the body, then a reset, an orderly end, or nothing more. */
  | { readonly type: "reset_body" | "truncate" | "stall"; readonly bytes: number }
  /** So many bytes of the body, and a head that says that this is all. */
  | { readonly type: "shorten"; readonly bytes: number }
  /** One bit of the answer's body is changed. */
  | { readonly type: "corrupt"; readonly at: number };

/** When a fault happens. The first rule that applies is taken. */
export interface FaultRule {
  readonly operation: S3OperationName;
  /** So many requests go through before. Default 0. */
  readonly skip?: number;
  /** So often it happens. Default 1. */
  readonly times?: number;
  /** Only if the key ends so. */
  readonly keyEnd?: string;
  readonly fault: Fault;
}

/** One request that came. */
export interface LoggedRequest {
  readonly operation: S3OperationName | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly fault: Fault["type"] | undefined;
  /** Bytes of the request's body that have come. */
  sentBytes: number;
  /** Bytes of the answer's body that upstream gave. */
  bodyBytes: number;
}

/** A running proxy. */
export interface FaultProxy {
  readonly url: string;
  readonly log: LoggedRequest[];
  /** Replaces all rules and begins the log anew. */
  rules(...rules: readonly FaultRule[]): void;
  close(): Promise<void>;
}

/** Stands between a client and an S3 server and lets go wrong what the rules say. */
export async function startFaultProxy(upstream: string): Promise<FaultProxy> {
  const agent = new Agent({ keepAlive: true });
  const log: LoggedRequest[] = [];
  let rules: { rule: FaultRule; seen: number }[] = [];

  function faultOf(request: IncomingMessage): Fault | undefined {
    const { operation, key } = parseS3Request(request);
    for (const entry of rules) {
      const { rule } = entry;
      if (rule.operation !== operation || !key.endsWith(rule.keyEnd ?? "")) continue;
      const { skip = 0, times = 1 } = rule;
      entry.seen += 1;
      if (entry.seen > skip && entry.seen <= skip + times) return rule.fault;
    }
    return undefined;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fault = faultOf(request);
    const entry: LoggedRequest = {
      operation: parseS3Request(request).operation,
      headers: request.headers,
      fault: fault?.type,
      sentBytes: 0,
      bodyBytes: 0,
    };
    log.push(entry);
    const body = await readAll(request);
    entry.sentBytes = body.length;
    if (fault?.type === "hang") return;
    if (fault?.type === "pretend") {
      response.writeHead(200, { etag: '"pretended"', "content-length": "0" });
      response.end();
      return;
    }
    if (fault?.type === "error") {
      const { status, code, headers = {} } = fault;
      response.writeHead(status, { "content-type": "application/xml", ...headers });
      response.end(errorXml(code));
      return;
    }
    if (fault?.type === "corrupt_request") flipBit(body, body.length >> 1);
    const answer = await ask(upstream, agent, request, body);
    const bytes = await readAll(answer);
    entry.bodyBytes = bytes.length;
    if (fault?.type === "meanwhile") fault.act();
    pass(response, answer, bytes, fault, request.socket);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // of a TCP server
  return {
    url: `http://127.0.0.1:${port}`,
    log,
    rules(...next) {
      rules = next.map((rule) => ({ rule, seen: 0 }));
      log.length = 0;
    },
    async close() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function ask(
  upstream: string,
  agent: Agent,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // The host stays that of the proxy, which was signed.
    const options = { method, headers, agent, setHost: false };
    const request = httpRequest(new URL(url ?? "", upstream), options, resolve);
    request.on("error", reject);
    request.end(body);
  });
}

function pass(
  response: ServerResponse,
  { statusCode = 502, headers }: IncomingMessage,
  bytes: Buffer,
  fault: Fault | undefined,
  socket: Socket,
): void {
  if (fault?.type === "reset_after") {
    socket.resetAndDestroy();
    return;
  }
  const head = { ...headers };
  delete head["connection"];
  delete head["transfer-encoding"];
  if (statusCode !== 204) head["content-length"] = String(bytes.length);
  if (fault?.type === "corrupt") flipBit(bytes, fault.at);
  if (fault === undefined || !("bytes" in fault)) {
    response.writeHead(statusCode, head);
    response.end(bytes);
    return;
  }
  const part = bytes.subarray(0, fault.bytes);
  if (fault.type === "shorten") {
    response.writeHead(statusCode, { ...head, "content-length": String(part.length) });
    response.end(part);
    return;
  }
  response.writeHead(statusCode, head);
  response.flushHeaders();
  response.write(part, () => {
    if (fault.type === "truncate") socket.end();
    // What is on its way is lost with a reset: that it has gone out is all that can be known here.
    if (fault.type === "reset_body") setImmediate(() => socket.resetAndDestroy());
  });
}

function flipBit(bytes: Buffer, at: number): void {
  const byte = bytes[at];
  if (byte !== undefined) bytes[at] = byte ^ 1;
}
