import { describeRecordings } from "@llm-worker/wire-testing";
import { OpenAIResponsesScheme } from "../src/responses/scheme.js";

describeRecordings("openai-responses", new OpenAIResponsesScheme({ model: "gpt-test" }), {
  errors: {
    // A spent quota does not come back by asking again (F15).
    "error-vai-openai-error-1": { retryable: false },
  },
});
