import type { AutomaticCaching } from "../prompt-cache.js";
import { seededRandom } from "../random.js";
import { planAnswer } from "./answer.js";
import { checkRequest } from "./gemini/check-request.js";
import { promptBlocks, readRequest } from "./gemini/read-request.js";
import { detail, refusal, refuseBody, refuseFault } from "./gemini/refuse.js";
import type { ThinkingConfig } from "./gemini/request-types.js";
import { encodeChunks, encodeList, streamChunks, wholeGeneration } from "./gemini/write-answer.js";
import { fingerprint, makeId, PLAIN_CHARACTERS } from "./ids.js";
import { parseBody } from "./parse-body.js";
import type { Refusal } from "./refusal.js";
import {
  createWire,
  REFUSED_KEY,
  replyJson,
  replyStream,
  type Wire,
  type WireContext,
  type WireReply,
  type WireRequest,
} from "./wire.js";

const PREFIX = "/v1beta/";
const PATH = /^\/v1beta\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;

/** The smallest minimum of any current model. */
const CACHING: AutomaticCaching = { minTokens: 1024, stepTokens: 1 };

/** Gemini: `POST /v1beta/models/MODEL:generateContent` and `:streamGenerateContent`. */
export const geminiWire: Wire = createWire({
  name: "gemini",
  owns: (path) => path.startsWith(PREFIX),
  answer,
  refuseBody,
  refuseFault,
  replyRefusal,
});

function answer(request: WireRequest, context: WireContext): WireReply {
  const [, model = "", method] = PATH.exec(request.path) ?? [];
  if (method === undefined || request.method !== "POST") {
    throw refusal("NOT_FOUND", `${request.method} ${request.path} is not served here`);
  }
  checkKey(request);
  const body = checkRequest(parseBody(request.body), model);

  const random = seededRandom(fingerprint(context.seed, request.body));
  const { maxOutputTokens, stopSequences, thinkingConfig } = body.generationConfig ?? {};
  const settings = {
    isThinking: isThinking(thinkingConfig),
    maxTokens: maxOutputTokens,
    stopSequences,
  };
  const generation = {
    ...planAnswer(readRequest(body), settings, random),
    responseId: makeId("", random, 23, PLAIN_CHARACTERS),
    model,
    showsThoughts: thinkingConfig?.includeThoughts === true,
    usage: context.cache.accountAutomatic(promptBlocks(body, model), CACHING),
  };
  if (method === "generateContent") {
    return replyJson(200, {}, wholeGeneration(generation, random));
  }
  const chunks = streamChunks(generation, random);
  return isSse(request)
    ? replyStream("text/event-stream", {}, encodeChunks(chunks))
    : replyStream("application/json; charset=UTF-8", {}, encodeList(chunks));
}

/** Thoughts are made when the request speaks of them, unless it only says that there shall be none. */
function isThinking(config: ThinkingConfig | undefined): boolean {
  return config !== undefined && config.thinkingBudget !== 0;
}

function isSse({ query }: WireRequest): boolean {
  return query.get("alt") === "sse";
}

function checkKey({ headers, query }: WireRequest): void {
  const key = headers["x-goog-api-key"] ?? query.get("key") ?? "";
  if (key === "") {
    throw refusal(
      "PERMISSION_DENIED",
      "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
    );
  }
  if (key !== REFUSED_KEY) return;
  throw refusal("INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [
    detail("ErrorInfo", { reason: "API_KEY_INVALID", domain: "googleapis.com" }),
  ]);
}

/** A stream that is one list has its error in a list too. */
function replyRefusal({ status, document }: Refusal, request: WireRequest): WireReply {
  const isList = request.path.endsWith(":streamGenerateContent") && !isSse(request);
  return replyJson(status, {}, isList ? [document] : document);
}
