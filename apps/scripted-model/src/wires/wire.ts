import type { PromptCache } from "../prompt-cache.js";
import { BodyError } from "./parse-body.js";
import { Refusal } from "./refusal.js";
import { ShapeError } from "./shape.js";

/** An HTTP request as a wire gets it. Header names are in lower case. */
export interface WireRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/** An HTTP answer. A streamed one is sent in many small pieces. */
export interface WireReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly isStream: boolean;
}

/** A failure that the server plays, or has. */
export type Fault =
  | { readonly type: "rate_limit"; readonly retryAfterSeconds: number }
  | { readonly type: "overload" }
  | { readonly type: "too_large" }
  | { readonly type: "failure"; readonly message: string };

/** What answers share within one server. */
export interface WireContext {
  readonly seed: number;
  readonly cache: PromptCache;
}

/** One provider's protocol around the policy. Pure but for the cache in its context. */
export interface Wire {
  readonly name: string;
  /** Whether a path belongs to this wire. */
  owns(path: string): boolean;
  /** Answers any request, malformed ones in the provider's shape. */
  reply(request: WireRequest, context: WireContext): WireReply;
  /** The answer of a server that is in trouble. */
  replyFault(fault: Fault, request: WireRequest): WireReply;
}

/** What a wire is made of. */
export interface WireParts {
  readonly name: string;
  owns(path: string): boolean;
  /**
   * Answers a well-formed request.
   *
   * @throws Refusal, ShapeError, BodyError
   */
  answer(request: WireRequest, context: WireContext): WireReply;
  /** Says in the provider's words what is wrong with a body. */
  refuseBody(error: ShapeError | BodyError): Refusal;
  refuseFault(fault: Fault): Refusal;
  replyRefusal(refusal: Refusal, request: WireRequest): WireReply;
}

/** Puts a wire together: whatever is thrown because of the request is answered. */
export function createWire(parts: WireParts): Wire {
  return {
    name: parts.name,
    owns: (path) => parts.owns(path),
    reply(request, context) {
      try {
        return parts.answer(request, context);
      } catch (error) {
        if (error instanceof Refusal) return parts.replyRefusal(error, request);
        if (error instanceof ShapeError || error instanceof BodyError) {
          return parts.replyRefusal(parts.refuseBody(error), request);
        }
        throw error;
      }
    },
    replyFault: (fault, request) => parts.replyRefusal(parts.refuseFault(fault), request),
  };
}

/** An answer that is one JSON document. */
export function replyJson(
  status: number,
  headers: Readonly<Record<string, string>>,
  document: unknown,
): WireReply {
  return {
    status,
    headers: { ...headers, "content-type": "application/json" },
    body: Buffer.from(JSON.stringify(document)),
    isStream: false,
  };
}

/** An answer that is streamed. */
export function replyStream(
  contentType: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): WireReply {
  return {
    status: 200,
    headers: { ...headers, "content-type": contentType, "cache-control": "no-cache" },
    body: Buffer.from(body),
    isStream: true,
  };
}

/** The key that this server refuses on every wire, so that a refused key can be tried out. */
export const REFUSED_KEY = "bad-key";

/** The key of an `authorization` header. */
export function bearerKey(request: WireRequest): string | undefined {
  const key = request.headers["authorization"]?.replace(/^Bearer\s+/iu, "");
  return key === "" ? undefined : key;
}
