import {
  decodeStream,
  hasSharedData,
  type Json,
  named,
  recordings,
  requestJudge,
  result,
  skippedWhen,
  streamsOf,
  user,
} from "@llm-worker/wire-testing";
import {
  collectItems,
  type Item,
  type LlmRequest,
  parseJson,
  type Scheme,
  Timeline,
} from "llm-worker";
import { describe, expect, test } from "vitest";
import { OpenAIChatScheme } from "../src/chat/scheme.js";
import { OpenAIResponsesScheme } from "../src/responses/scheme.js";

// The judge does not know the parts in which Mistral sends and takes reasoning.
const chatStreams = streamsOf(recordings("openai-chat")).filter(
  ({ features }) => !features.includes("content-array"),
);
const responsesStreams = streamsOf(recordings("openai-responses"));

describe.skipIf(!hasSharedData)(`a recorded Chat answer can be sent back${skippedWhen}`, () => {
  test.for(named(chatStreams))("%s", async ([, { bytes }]) => {
    const scheme = new OpenAIChatScheme({ model: "gpt-test" });
    const request = nextRequest(itemsOf(scheme, bytes));
    const judge = await requestJudge("openai-compat");
    expect(judge(parseJson(String(scheme.buildRequest(request).body))).errors).toEqual([]);
    const own = new OpenAIChatScheme({ model: "gpt-test", reasoningReplay: "off" });
    const strictJudge = await requestJudge("openai-chat");
    expect(strictJudge(parseJson(String(own.buildRequest(request).body))).errors).toEqual([]);
  });
});

describe.skipIf(!hasSharedData)(
  `a recorded Responses answer can be sent back${skippedWhen}`,
  () => {
    test.for(named(responsesStreams))("%s", async ([, { bytes }]) => {
      const scheme = new OpenAIResponsesScheme({ model: "gpt-test" });
      const request = nextRequest(itemsOf(scheme, bytes));
      const body = parseJson(String(scheme.buildRequest(request).body)) as Json;
      const judge = await requestJudge("openai-responses");
      expect(judge(body).errors).toEqual([]);
    });
  },
);

function itemsOf(scheme: Scheme, bytes: Uint8Array): readonly Item[] {
  const timeline = new Timeline();
  const slots = collectItems(timeline);
  for (const event of decodeStream(scheme, [bytes])) timeline.dispatch(event);
  return slots.itemsWithPartialText;
}

function nextRequest(items: readonly Item[]): LlmRequest {
  const results = items.flatMap((item) => (item.type === "tool_call" ? [result(item.callId)] : []));
  return { tools: [], items: [user("a"), ...items, ...results, user("b")] };
}
