import { estimateTokens } from "../prompt-cache.js";
import { seededRandom } from "../random.js";
import { planAnswer } from "./answer.js";
import { fingerprint } from "./ids.js";
import { checkRequest } from "./ollama/check-request.js";
import { readRequest } from "./ollama/read-request.js";
import { refusal, refuseBody, refuseFault } from "./ollama/refuse.js";
import type { ChatRequest } from "./ollama/request-types.js";
import { encodeLines, loadedAnswer, streamLines, wholeAnswer } from "./ollama/write-answer.js";
import { parseBody } from "./parse-body.js";
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

const PREFIX = "/api/";
const PATH = "/api/chat";

/** Ollama: `POST /api/chat`, as lines of JSON or as one document. */
export const ollamaWire: Wire = createWire({
  name: "ollama",
  owns: (path) => path.startsWith(PREFIX),
  answer,
  refuseBody,
  refuseFault,
  replyRefusal: ({ status, headers, document }) => replyJson(status, headers, document),
});

function answer(request: WireRequest, context: WireContext): WireReply {
  if (request.path !== PATH || request.method !== "POST") {
    throw refusal(404, `${request.method} ${request.path} is not served here`);
  }
  // On one's own machine there is no key; the hosted service has one.
  if (bearerKey(request) === REFUSED_KEY) throw refusal(401, "unauthorized");
  const body = checkRequest(parseBody(request.body));
  const { model, messages = [], think } = body;
  if (messages.length === 0) return replyJson(200, {}, loadedAnswer(model));

  const random = seededRandom(fingerprint(context.seed, request.body));
  const settings = {
    isThinking: think !== undefined && think !== false,
    maxTokens: readLimit(body),
    stopSequences: [body.options?.stop ?? []].flat(),
  };
  const chat = {
    ...planAnswer(readRequest(body), settings, random),
    model,
    promptTokens: estimateTokens(JSON.stringify([body.tools ?? [], messages])),
  };
  return body.stream === false
    ? replyJson(200, {}, wholeAnswer(chat, random))
    : replyStream("application/x-ndjson", {}, encodeLines(streamLines(chat, random)));
}

function readLimit({ options }: ChatRequest): number | undefined {
  const limit = options?.num_predict ?? -1;
  return limit < 0 ? undefined : limit;
}
