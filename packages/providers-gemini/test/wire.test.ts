import {
  describeRecordings,
  documentsOf,
  testCutStreams,
  hasSharedData,
  recordings,
  skippedWhen,
  streamsOf,
} from "@llm-worker/wire-testing";
import type { Event } from "llm-worker";
import { expect, test } from "vitest";
import { decode, scheme } from "./decode.js";

// A signed text is a block of its own (G4).
describeRecordings("gemini", scheme, { textParts: "joined" });

testCutStreams(
  "F6: a stream that is cut before its finish reason is never a finished turn",
  "gemini",
  scheme,
  (bytes) => bytes.indexOf('"finishReason"'),
);

test.skipIf(!hasSharedData)(
  `G1, G2, G3: the signatures of calls are kept where they came, and nowhere else${skippedWhen}`,
  () => {
    const all = recordings("gemini");
    for (const { bytes, expected } of [...streamsOf(all), ...documentsOf(all)]) {
      const calls = (expected.toolCalls ?? []) as readonly { readonly signature?: string }[];
      expect(callSignatures(decode([bytes]))).toEqual(calls.map(({ signature }) => signature));
    }
  },
);

function callSignatures(events: readonly Event[]): readonly unknown[] {
  const calls = events.flatMap((event) =>
    event.type === "block_start" && event.kind === "tool_use" ? [event.index] : [],
  );
  const data = new Map(
    events.flatMap((event) =>
      event.type === "block_stop" ? [[event.index, event.providerData?.data]] : [],
    ),
  );
  return calls.map(
    (index) => (data.get(index) as Record<string, unknown> | undefined)?.["thoughtSignature"],
  );
}
