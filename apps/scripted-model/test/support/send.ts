import { PromptCache } from "../../src/prompt-cache.js";
import type { Wire, WireReply } from "../../src/wires/wire.js";
import type { TestWire } from "./test-wires.js";

/** What is special about a request. */
export interface SendOptions {
  readonly mode?: "stream" | "whole";
  /** In place of the wire's own; `undefined` leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly cache?: PromptCache;
  readonly path?: string;
  readonly method?: string;
}

/** Gives a body to a wire without any server: JSON, or the bytes as they are. */
export function sendTo(
  wire: Wire,
  spoken: TestWire,
  body: unknown,
  options: SendOptions = {},
): WireReply {
  const { mode = "whole", headers = {}, cache = new PromptCache(), method = "POST" } = options;
  const url = new URL(options.path ?? spoken.path(mode), "http://127.0.0.1");
  const request = {
    method,
    path: url.pathname,
    query: url.searchParams,
    headers: { ...spoken.headers, ...headers },
    body: body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body)),
  };
  return wire.reply(request, { seed: 1, cache });
}

/** The document of an answer that is not streamed. */
export function readReply(reply: WireReply): Record<string, never> {
  return JSON.parse(Buffer.from(reply.body).toString());
}
