import {
  hasSharedData,
  type Json,
  named,
  recordedRequest,
  recordings,
  requestJudge,
  skippedWhen,
} from "@llm-worker/wire-testing";
import { describe, expect, test } from "vitest";
import { AnthropicScheme } from "../src/scheme.js";
import { messagesOf, requestFromWire } from "./from-wire.js";

/**
 * Requests that this scheme does not write as they were: a prefilled answer (A11), results given as
 * search results, documents with citations and files by id, which the neutral model cannot say.
 */
const SAID_OTHERWISE = new Set([
  "chtl-anthropic-file-lifecycle-2",
  "chtl-anthropic-file-lifecycle-async-2",
  "llm-prompt-with-prefill-and-stop-sequences",
  "json-rbllm-chat-citations-with-cites-tool-results-returned-as-search-2",
  "rbllm-chat-citations-with-streams-citations",
]);

const recorded = recordings("anthropic").filter(
  ({ name, request, status }) => request && status === 200 && !SAID_OTHERWISE.has(name),
);

describe.skipIf(!hasSharedData)(
  `recorded conversations are sent as they were${skippedWhen}`,
  () => {
    test.for(named(recorded))("%s", async ([, recording]) => {
      const judge = await requestJudge("anthropic");
      const body = recordedRequest(recording) as Json;
      const scheme = new AnthropicScheme({ model: String(body["model"]) });
      const built = JSON.parse(String(scheme.buildRequest(requestFromWire(body)).body)) as Json;
      expect(messagesOf(built)).toEqual(messagesOf(body));
      const verdict = judge(built);
      expect(verdict.errors).toEqual([]);
      expect(verdict.valid).toBe(true);
    });
  },
);
