import { seededRandom } from "../random.js";
import { planAnswer } from "./answer.js";
import { fingerprint, makeId, PLAIN_CHARACTERS } from "./ids.js";
import { OPENAI_CACHING } from "./openai/caching.js";
import { replyRefusal, requestHeaders } from "./openai/headers.js";
import { checkKey, refusal, refuseBody, refuseFault } from "./openai/refuse.js";
import { checkRequest } from "./openai-chat/check-request.js";
import { promptBlocks, readRequest } from "./openai-chat/read-request.js";
import type { ChatRequest } from "./openai-chat/request-types.js";
import { encodeChunks, streamChunks, wholeCompletion } from "./openai-chat/write-answer.js";
import { parseBody } from "./parse-body.js";
import {
  createWire,
  replyJson,
  replyStream,
  type Wire,
  type WireContext,
  type WireReply,
  type WireRequest,
} from "./wire.js";

const PATH = "/v1/chat/completions";

/** OpenAI Chat Completions: `POST /v1/chat/completions`, as server-sent events or as one document. */
export const openaiChatWire: Wire = createWire({
  name: "openai-chat",
  owns: (path) => path === PATH || path.startsWith(`${PATH}/`),
  answer,
  refuseBody,
  refuseFault,
  replyRefusal,
});

function answer(request: WireRequest, context: WireContext): WireReply {
  if (request.path !== PATH || request.method !== "POST") {
    throw refusal(404, `Invalid URL (${request.method} ${request.path})`);
  }
  checkKey(request);
  const body = checkRequest(parseBody(request.body));

  const random = seededRandom(fingerprint(context.seed, request.body));
  const settings = {
    isThinking: (body.reasoning_effort ?? "none") !== "none",
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
    stopSequences: readStop(body.stop),
  };
  const completion = {
    ...planAnswer(readRequest(body), settings, random),
    id: makeId("chatcmpl-", random, 29, PLAIN_CHARACTERS),
    model: body.model,
    isCallForced: typeof body.tool_choice === "object" && body.tool_choice?.type === "function",
    usage: context.cache.accountAutomatic(promptBlocks(body), OPENAI_CACHING),
  };
  if (body.stream !== true) {
    return replyJson(200, requestHeaders(request), wholeCompletion(completion, random));
  }
  const chunks = streamChunks(completion, body.stream_options ?? {}, random);
  return replyStream(
    "text/event-stream; charset=utf-8",
    requestHeaders(request),
    encodeChunks(chunks),
  );
}

function readStop(stop: ChatRequest["stop"]): readonly string[] {
  if (stop === undefined || stop === null) return [];
  return typeof stop === "string" ? [stop] : stop;
}
