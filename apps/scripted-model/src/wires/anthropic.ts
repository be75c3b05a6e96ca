import { isObject } from "../json.js";
import { nextAction } from "../policy.js";
import { seededRandom } from "../random.js";
import { fingerprint, makeId, renderAction } from "./anthropic/answer-blocks.js";
import { checkRequest } from "./anthropic/check-request.js";
import { promptBlocks, readRequest } from "./anthropic/read-request.js";
import { Refusal, refuse } from "./anthropic/refusal.js";
import { encodeEvents, streamEvents, wholeMessage } from "./anthropic/write-answer.js";
import type { Fault, Wire, WireContext, WireReply, WireRequest } from "./wire.js";

const PATH = "/v1/messages";
const VERSIONS = ["2023-06-01", "2026-10-21"];
/** The key that this server refuses, so that a refused key can be tried out. */
const REFUSED_KEY = "bad-key";

/** Anthropic Messages: `POST /v1/messages`, as server-sent events or as one document. */
export const anthropicWire: Wire = {
  name: "anthropic",
  owns: (path) => path === PATH || path.startsWith(`${PATH}/`),
  reply(request, context) {
    try {
      return answer(request, context);
    } catch (error) {
      if (error instanceof Refusal) return replyRefusal(error, request);
      throw error;
    }
  },
  replyFault(fault, request) {
    const refusal = faultRefusal(fault);
    const reply = replyRefusal(refusal, request);
    if (fault.type !== "rate_limit") return reply;
    const headers = { ...reply.headers, "retry-after": String(fault.retryAfterSeconds) };
    return { ...reply, headers };
  },
};

function faultRefusal(fault: Fault): Refusal {
  switch (fault.type) {
    case "rate_limit":
      return new Refusal("rate_limit_error", "This request would exceed your rate limit.");
    case "overload":
      return new Refusal("overloaded_error", "Overloaded");
    case "too_large":
      return new Refusal("request_too_large", "Request exceeds the maximum size");
    case "failure":
      return new Refusal("api_error", fault.message);
  }
}

function answer(request: WireRequest, context: WireContext): WireReply {
  if (request.path !== PATH || request.method !== "POST") {
    throw new Refusal("not_found_error", `${request.method} ${request.path} is not served here`);
  }
  checkKey(request);
  const version = request.headers["anthropic-version"];
  if (version === undefined) refuse("anthropic-version", "header is required");
  if (!VERSIONS.includes(version))
    refuse("anthropic-version", `"${version}" is not a valid version`);
  const body = checkRequest(parseBody(request.body), version);

  const seed = fingerprint(context.seed, request.body);
  const random = seededRandom(seed);
  const content = renderAction(nextAction(readRequest(body)), body, random);
  const message = {
    ...content,
    id: makeId("msg_01", random),
    model: body.model,
    usage: context.cache.account(promptBlocks(body)),
  };
  const headers = { "request-id": requestId(request) };
  if (body.stream !== true) return replyJson(200, headers, wholeMessage(message));
  return {
    status: 200,
    headers: {
      ...headers,
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
    },
    body: encodeEvents(streamEvents(message, random)),
    isStream: true,
  };
}

function checkKey({ headers }: WireRequest): void {
  const key = headers["x-api-key"] ?? headers["authorization"]?.replace(/^Bearer\s+/iu, "");
  if (key === undefined || key === "") {
    throw new Refusal("authentication_error", "x-api-key header is required");
  }
  if (key === REFUSED_KEY) throw new Refusal("authentication_error", "invalid x-api-key");
}

/** JSON in valid UTF-8, without half surrogate pairs: the provider takes nothing else. */
function parseBody(bytes: Uint8Array): unknown {
  let reason = "not UTF-8";
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    reason = "syntax error";
    const body: unknown = JSON.parse(text);
    reason = "no low surrogate in string";
    if (!hasWholeCharacters(body)) throw new SyntaxError(reason);
    return body;
  } catch (error) {
    const message = `The request body is not valid JSON: ${reason}`;
    throw new Refusal("invalid_request_error", message, { cause: error });
  }
}

/** Whether no string in a JSON value holds half of a surrogate pair. */
function hasWholeCharacters(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (Array.isArray(value)) return value.every(hasWholeCharacters);
  if (!isObject(value)) return true;
  return Object.entries(value).every(
    ([key, part]) => key.isWellFormed() && hasWholeCharacters(part),
  );
}

function requestId(request: WireRequest): string {
  return makeId("req_01", seededRandom(fingerprint(0, request.body)));
}

function replyRefusal(refusal: Refusal, request: WireRequest): WireReply {
  const id = requestId(request);
  const error = { type: refusal.type, message: refusal.message };
  return replyJson(refusal.status, { "request-id": id }, { type: "error", error, request_id: id });
}

function replyJson(
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
