import type { PromptCache } from "../prompt-cache.js";

/** An HTTP request as a wire gets it. Header names are in lower case. */
export interface WireRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
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
