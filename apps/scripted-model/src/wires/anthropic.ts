import { seededRandom } from "../random.js";
import { planAnswer } from "./answer.js";
import { checkRequest } from "./anthropic/check-request.js";
import { promptBlocks, readRequest } from "./anthropic/read-request.js";
import { refusal, refuse, refuseBody, refuseFault } from "./anthropic/refuse.js";
import { encodeEvents, streamEvents, wholeMessage } from "./anthropic/write-answer.js";
import { fingerprint, makeId, PLAIN_CHARACTERS } from "./ids.js";
import { parseBody } from "./parse-body.js";
import type { Refusal } from "./refusal.js";
import {
  bearerKey,
  createWire,
  REFUSED_KEY,
  replyJson,
  replyStream,
  type Wire,
  type WireContext,
  type WireReply,
  type WireRequest,
} from "./wire.js";

const PATH = "/v1/messages";
const VERSIONS = ["2023-06-01", "2026-10-21"];
const ID_LENGTH = 22;

/** Anthropic Messages: `POST /v1/messages`, as server-sent events or as one document. */
export const anthropicWire: Wire = createWire({
  name: "anthropic",
  owns: (path) => path === PATH || path.startsWith(`${PATH}/`),
  answer,
  refuseBody,
  refuseFault,
  replyRefusal,
});

function answer(request: WireRequest, context: WireContext): WireReply {
  if (request.path !== PATH || request.method !== "POST") {
    throw refusal("not_found_error", `${request.method} ${request.path} is not served here`);
  }
  checkKey(request);
  const version = request.headers["anthropic-version"];
  if (version === undefined) refuse("anthropic-version", "header is required");
  if (!VERSIONS.includes(version)) {
    refuse("anthropic-version", `"${version}" is not a valid version`);
  }
  const body = checkRequest(parseBody(request.body), version);

  const random = seededRandom(fingerprint(context.seed, request.body));
  const isThinking = body.thinking !== undefined && body.thinking.type !== "disabled";
  const settings = {
    isThinking,
    maxTokens: body.max_tokens,
    stopSequences: body.stop_sequences,
  };
  const message = {
    ...planAnswer(readRequest(body), settings, random),
    id: makeId("msg_01", random, ID_LENGTH, PLAIN_CHARACTERS),
    model: body.model,
    isThinkingOmitted: body.thinking?.display === "omitted",
    usage: context.cache.account(promptBlocks(body)),
  };
  const headers = { "request-id": requestId(request) };
  return body.stream === true
    ? replyStream(
        "text/event-stream; charset=utf-8",
        headers,
        encodeEvents(streamEvents(message, random)),
      )
    : replyJson(200, headers, wholeMessage(message, random));
}

function checkKey(request: WireRequest): void {
  const key = request.headers["x-api-key"] ?? bearerKey(request);
  if (key === undefined || key === "") {
    throw refusal("authentication_error", "x-api-key header is required");
  }
  if (key === REFUSED_KEY) throw refusal("authentication_error", "invalid x-api-key");
}

function requestId(request: WireRequest): string {
  const random = seededRandom(fingerprint(0, request.body));
  return makeId("req_01", random, ID_LENGTH, PLAIN_CHARACTERS);
}

function replyRefusal({ status, headers, document }: Refusal, request: WireRequest): WireReply {
  const id = requestId(request);
  const identified = { ...Object(document), request_id: id };
  return replyJson(status, { ...headers, "request-id": id }, identified);
}
