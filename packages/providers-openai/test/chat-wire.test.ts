import { describeRecordings } from "@llm-worker/wire-testing";
import { OpenAIChatScheme } from "../src/chat/scheme.js";

describeRecordings("openai-chat", new OpenAIChatScheme({ model: "gpt-test" }), {
  outcomes: {
    // The reference does not read `reasoning_details` of documents (C7) and leaves the empty reason
    // of a turn with calls as it is (C5, F7).
    "json-pydai-snowflake-thinking": {
      reasoning: "Let me get the weather for Mexico City.",
      parts: ["reasoning", "text", "tool_call"],
      stopReason: "tool_use",
    },
  },
  errors: {
    // `retry-after-ms: 0` counts as not given (F15), and `retry-after: 1` stands beside it.
    "error-rbllm-chat-real-error-scenarios-azure-grok-4-1-fast-non-reasonin": {
      retryAfterMs: 1000,
    },
  },
});
