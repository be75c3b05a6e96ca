import { describeRecordings, testCutStreams } from "@llm-worker/wire-testing";
import { scheme } from "./decode.js";

describeRecordings("anthropic", scheme);

testCutStreams(
  "F6: a stream that is cut anywhere before its end marker is never a finished turn",
  "anthropic",
  scheme,
  // The event's name stands in a line of its own before its payload.
  (bytes) => bytes.lastIndexOf("message_stop") - 10,
);
