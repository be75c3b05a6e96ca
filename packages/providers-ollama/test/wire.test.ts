import { describeRecordings, testCutStreams } from "@llm-worker/wire-testing";
import { OllamaScheme } from "../src/scheme.js";

const scheme = new OllamaScheme({ model: "test-model" });

describeRecordings("ollama", scheme);

testCutStreams(
  "L5, F6: a stream that is cut anywhere before its end marker is never a finished turn",
  "ollama",
  scheme,
  (bytes) => bytes.lastIndexOf('"done":true'),
);
