import { seededRandom } from "../random.js";
import { planAnswer } from "./answer.js";
import { fingerprint, HEX_CHARACTERS, makeId } from "./ids.js";
import { OPENAI_CACHING } from "./openai/caching.js";
import { replyRefusal, requestHeaders } from "./openai/headers.js";
import { checkKey, refusal, refuseBody, refuseFault } from "./openai/refuse.js";
import { checkRequest } from "./openai-responses/check-request.js";
import { writeItems } from "./openai-responses/output-items.js";
import { promptBlocks, readRequest } from "./openai-responses/read-request.js";
import { encodeEvents, streamEvents, wholeResponse } from "./openai-responses/write-answer.js";
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

const PATH = "/v1/responses";

/** OpenAI Responses: `POST /v1/responses`, as server-sent events or as one document. */
export const openaiResponsesWire: Wire = createWire({
  name: "openai-responses",
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
  const { reasoning } = body;
  const planned = planAnswer(
    readRequest(body),
    {
      isThinking: !!reasoning && reasoning.effort !== "none",
      maxTokens: body.max_output_tokens ?? undefined,
    },
    random,
  );
  const settings = {
    isStored: body.store !== false,
    showsSummary: !!reasoning?.summary,
    includesEncrypted: body.include?.includes("reasoning.encrypted_content") === true,
    // The provider pads unless told not to, but its published schemas do not have the field.
    isPadded: body.stream_options?.include_obfuscation === true,
  };
  const response = {
    id: makeId("resp_", random, 48, HEX_CHARACTERS),
    request: body,
    answer: planned,
    items: writeItems(planned, settings, random),
    usage: context.cache.accountAutomatic(promptBlocks(body), OPENAI_CACHING),
  };
  if (body.stream !== true) {
    return replyJson(200, requestHeaders(request), wholeResponse(response));
  }
  return replyStream(
    "text/event-stream; charset=utf-8",
    requestHeaders(request),
    encodeEvents(streamEvents(response)),
  );
}
