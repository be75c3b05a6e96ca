import { type GenerateContentResponse, GoogleGenAI } from "@google/genai";
import {
  fetchOf,
  hasSharedData,
  named,
  recordings,
  skippedWhen,
  streamsOf,
  toOutcome,
} from "@llm-worker/wire-testing";
import { afterEach, describe, expect, test, vi } from "vitest";
import { decode } from "./decode.js";

/** Streams whose last event has no blank line after it: the SDK throws, so the recordings decide. */
const SDK_THROWS = new Set([
  "fire-streaming-failure-error-mid-stream",
  "fire-streaming-failure-prompt-blocked-safety-with-message",
  "fire-streaming-success-quotes-escaped",
]);

const streams = streamsOf(recordings("gemini")).filter(({ name }) => !SDK_THROWS.has(name));

afterEach(() => {
  vi.unstubAllGlobals();
});

describe.skipIf(!hasSharedData)(
  `the official SDK reads the same from the same bytes${skippedWhen}`,
  () => {
    test.for(named(streams))("%s", async ([, { bytes }]) => {
      expect(toOutcome(decode([bytes]))).toMatchObject(sumOf(await sdkChunks(bytes)));
    });
  },
);

/** The SDK takes no fetch of its own. */
async function sdkChunks(bytes: Uint8Array): Promise<readonly GenerateContentResponse[]> {
  vi.stubGlobal("fetch", fetchOf(bytes));
  const client = new GoogleGenAI({ apiKey: "none" });
  const stream = await client.models.generateContentStream({
    model: "gemini-test",
    contents: "x",
  });
  const chunks: GenerateContentResponse[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

/** The SDK hands out chunks only: what they come to together, apart from calls in pieces. */
function sumOf(chunks: readonly GenerateContentResponse[]): object {
  const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
  const textOf = (isThought: boolean): string =>
    parts.map(({ text = "", thought = false }) => (thought === isThought ? text : "")).join("");
  const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
  const usage = chunks.map(({ usageMetadata }) => usageMetadata ?? {});
  const lastOf = (field: keyof (typeof usage)[number]): number =>
    Number(usage.map((totals) => totals[field]).findLast((count) => count !== undefined) ?? 0);
  const output = lastOf("candidatesTokenCount") + lastOf("thoughtsTokenCount");
  const input = lastOf("promptTokenCount") + lastOf("toolUsePromptTokenCount");
  return {
    text: textOf(false),
    reasoning: textOf(true),
    toolCalls: calls
      .filter(({ name }) => name !== undefined)
      .map(({ name, args, willContinue }) => ({
        name,
        ...(willContinue === true ? {} : { arguments: args ?? {} }),
      })),
    usage: { outputTotal: output || null, inputTotal: input || null },
  };
}
