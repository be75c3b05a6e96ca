import {
  decodeStream,
  fetchOf,
  hasSharedData,
  named,
  recordings,
  skippedWhen,
  streamsOf,
  toOutcome,
} from "@llm-worker/wire-testing";
import { parseJson } from "llm-worker";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { OpenAIChatScheme } from "../src/chat/scheme.js";
import { OpenAIResponsesScheme } from "../src/responses/scheme.js";

/** Streams that the SDK does not read: there the recordings decide. */
const CHAT_SDK_FAILS: ReadonlySet<string> = new Set<string>([
  // Errors in the stream, which it throws.
  "pydai-openrouter-stream-error",
  "pydai-tool-use-failed-error-streaming-with-text",
  // Without role (C17).
  "vai-mistral-incremental-tool-call",
  "rbllm-chat-streaming-responses-gpustack-qwen3-supports-streaming",
  "chtl-cloudflare-respects-turns-interface-3",
  // Without finish reason (F7).
  "pydai-snowflake-model-streaming",
  // An index that begins at 1, and none at all (C3).
  "vai-anthropic-fallback-tool-call",
  "oinf-synchronous-streaming-chat-completions-with-tool-call-resp",
  // Content as a list of parts (C7).
  "pydai-mistral-model-thinking-part-iter",
]);
const RESPONSES_SDK_FAILS: ReadonlySet<string> = new Set<string>([
  // Errors in the stream, which it throws.
  "vai-openai-error-1",
  "prism-stream-rate-limited-1",
  // Not JSON.
  "vai-parallel-tool-call-wrapper-1",
  // No text in the output of the last event, or no output at all, which it believes.
  "pydai-openai-responses-raw-cot-stream-openrouter",
  "rig-chatgpt-reasoning-session-two-tool-calls-streaming",
  "rig-chatgpt-sequential-tool-calls-streaming-2",
]);

const chatStreams = streamsOf(recordings("openai-chat")).filter(
  ({ name }) => !CHAT_SDK_FAILS.has(name),
);
const responsesStreams = streamsOf(recordings("openai-responses")).filter(
  ({ name }) => !RESPONSES_SDK_FAILS.has(name),
);

describe.skipIf(!hasSharedData)(
  `the official SDK reads the same from the same Chat bytes${skippedWhen}`,
  () => {
    const scheme = new OpenAIChatScheme({ model: "gpt-test" });

    test.for(named(chatStreams))("%s", async ([, { bytes }]) => {
      const completion = await clientOf(bytes)
        .chat.completions.stream({ model: "gpt-test", messages: [] })
        .finalChatCompletion();
      const message = completion.choices[0]?.message;
      const outcome = toOutcome(decodeStream(scheme, [bytes]));
      expect(outcome.text).toBe(message?.content ?? "");
      expect(outcome.refusal).toBe(message?.refusal ?? "");
      expect(outcome.toolCalls).toEqual(
        (message?.tool_calls ?? []).map((call) => ({
          id: call.id,
          name: call.function.name,
          arguments: argumentsOf(call.function.arguments),
        })),
      );
    });
  },
);

describe.skipIf(!hasSharedData)(
  `the official SDK reads the same from the same Responses bytes${skippedWhen}`,
  () => {
    const scheme = new OpenAIResponsesScheme({ model: "gpt-test" });

    test.for(named(responsesStreams))("%s", async ([, { bytes }]) => {
      const response = await clientOf(bytes)
        .responses.stream({ model: "gpt-test", input: "x" })
        .finalResponse();
      const outcome = toOutcome(decodeStream(scheme, [bytes]));
      expect(outcome.text).toBe(response.output_text);
      expect(outcome.toolCalls).toEqual(
        response.output.flatMap((item) => {
          if (item.type === "function_call") {
            return [{ id: item.call_id, name: item.name, arguments: argumentsOf(item.arguments) }];
          }
          if (item.type !== "custom_tool_call") return [];
          return [{ id: item.call_id, name: item.name, arguments: item.input }];
        }),
      );
      expect(outcome.usage.inputTotal).toBe(response.usage?.input_tokens ?? null);
      expect(outcome.usage.outputTotal).toBe(response.usage?.output_tokens ?? null);
      const shown = response.output.flatMap((item) =>
        item.type === "message" ? item.content.map(({ type }) => type) : [item.type],
      );
      expect(outcome.parts).toHaveLength(shown.length);
    });
  },
);

function clientOf(bytes: Uint8Array): OpenAI {
  return new OpenAI({ apiKey: "none", maxRetries: 0, fetch: fetchOf(bytes) });
}

function argumentsOf(text: string): unknown {
  return text === "" ? {} : (parseJson(text) ?? { $unparsed: text });
}
