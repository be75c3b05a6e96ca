import { seededRandom } from "../../random.js";
import { fingerprint, HEX_CHARACTERS, makeId } from "../ids.js";
import type { Refusal } from "../refusal.js";
import { replyJson, type WireReply, type WireRequest } from "../wire.js";

/** Headers of every answer. */
export function requestHeaders({ body }: WireRequest): Readonly<Record<string, string>> {
  const random = seededRandom(fingerprint(0, body));
  return { "x-request-id": makeId("req_", random, 32, HEX_CHARACTERS) };
}

/** An error answer as it is sent. */
export function replyRefusal(refusal: Refusal, request: WireRequest): WireReply {
  const { status, headers, document } = refusal;
  return replyJson(status, { ...requestHeaders(request), ...headers }, document);
}
