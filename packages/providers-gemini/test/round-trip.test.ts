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
import { collectItems, type Item, SseDecoder, Timeline } from "llm-worker";
import { describe, expect, test } from "vitest";
import { GeminiScheme } from "../src/scheme.js";

/** Whole answers; one that was refused or whose calls come in pieces goes back in another form. */
const answers = streamsOf(recordings("gemini")).filter(
  ({ expected, features }) => expected.outcome === "ok" && !features.includes("fck:partialArgs"),
);

describe.skipIf(!hasSharedData)(
  `G1, G2, G3, G4: an answer goes back part by part as it came${skippedWhen}`,
  () => {
    test.for(named(answers))("%s", async ([, { bytes, model }]) => {
      const scheme = new GeminiScheme({ model: model ?? "gemini-3-test" });
      const items = itemsOf(scheme, bytes);
      const results = items.flatMap((item) =>
        item.type === "tool_call" ? [result(item.callId)] : [],
      );
      const request = { tools: [], items: [user("x"), ...items, ...results] };
      const body = JSON.parse(String(scheme.buildRequest(request).body)) as Json;
      const [, answer] = body["contents"] as readonly Json[];
      const wanted = sendableParts(bytes);
      expect(answer?.["role"] === "model" ? answer["parts"] : []).toEqual(wanted);
      const judge = await requestJudge("gemini");
      const { errors } = judge(body, { model: scheme.model });
      expect(errors.filter((error) => !isUnknownId(error))).toEqual([]);
    });
  },
);

/** The server sends ids with the code that it runs, which the judge does not know of yet. */
function isUnknownId(error: unknown): boolean {
  const { rule, path } = error as { readonly rule: string; readonly path: string };
  return rule === "unknown" && /\.(executableCode|codeExecutionResult)\.id$/.test(path);
}

function itemsOf(scheme: GeminiScheme, bytes: Uint8Array): readonly Item[] {
  const timeline = new Timeline();
  const slots = collectItems(timeline);
  for (const event of decodeStream(scheme, [bytes])) timeline.dispatch(event);
  return slots.items;
}

/** The parts as received: what has no signature may be joined, and left out if it is empty or a thought. */
function sendableParts(bytes: Uint8Array): readonly Json[] {
  const parts: Json[] = [];
  for (const part of receivedParts(bytes)) {
    const last = parts.at(-1);
    const isUnsignedText = typeof part["text"] === "string" && !("thoughtSignature" in part);
    if (!isUnsignedText) parts.push(part);
    else if (part["text"] === "" || part["thought"] === true) continue;
    else if (typeof last?.["text"] !== "string" || "thoughtSignature" in last) parts.push(part);
    else parts[parts.length - 1] = { text: last["text"] + String(part["text"]) };
  }
  return parts;
}

function receivedParts(bytes: Uint8Array): readonly Json[] {
  const parts: Json[] = [];
  const onFrame = ({ data }: { data: string }): void => {
    // Recordings are of this API.
    const { candidates = [] } = JSON.parse(data) as {
      candidates?: { content?: { parts?: Json[] } }[];
    };
    parts.push(...(candidates[0]?.content?.parts ?? []));
  };
  const frames = new SseDecoder();
  frames.write(bytes, onFrame);
  frames.end(onFrame);
  return parts;
}
