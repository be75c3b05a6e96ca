import Anthropic from "@anthropic-ai/sdk";
import {
  fetchOf,
  hasSharedData,
  named,
  recordings,
  skippedWhen,
  streamsOf,
  toOutcome,
} from "@llm-worker/wire-testing";
import { describe, expect, test } from "vitest";
import { decode } from "./decode.js";

/** Cut, spliced and gateway streams at which the SDK throws: there the recordings decide. */
const SDK_THROWS = new Set([
  "rig-gateway-message-delta-metadata",
  "rig-streaming-prompt-caching-reuses-tool-cache-2",
  "vai-duplicate-message-start",
  "vai-spliced-message-start",
]);

const streams = streamsOf(recordings("anthropic")).filter(({ name }) => !SDK_THROWS.has(name));

describe.skipIf(!hasSharedData)(
  `the official SDK reads the same from the same bytes${skippedWhen}`,
  () => {
    test.for(named(streams))("%s", async ([, { bytes }]) => {
      const message = await sdkMessage(bytes);
      const outcome = toOutcome(decode([bytes]));
      const textOf = (type: "text" | "thinking"): string =>
        message.content
          .map((block) =>
            block.type === type ? (block as unknown as Record<string, string>)[type] : "",
          )
          .join("");
      expect(outcome.text).toBe(textOf("text"));
      expect(outcome.reasoning).toBe(textOf("thinking"));
      expect(outcome.toolCalls).toEqual(
        message.content.flatMap((block) =>
          block.type === "tool_use"
            ? [{ id: block.id, name: block.name, arguments: block.input }]
            : [],
        ),
      );
      expect(outcome.usage.outputTotal).toBe(message.usage.output_tokens);
      expect(outcome.parts).toHaveLength(message.content.length);
    });
  },
);

async function sdkMessage(bytes: Uint8Array): Promise<Anthropic.Message> {
  const client = new Anthropic({
    apiKey: "none",
    maxRetries: 0,
    fetch: fetchOf(bytes),
  });
  const stream = client.messages.stream({
    model: "claude-test",
    max_tokens: 1,
    messages: [{ role: "user", content: "x" }],
  });
  return stream.finalMessage();
}
