import {
  decodeDocument,
  decodeStream,
  documentsOf,
  fetchOf,
  hasSharedData,
  named,
  recordings,
  skippedWhen,
  streamsOf,
  toOutcome,
} from "@llm-worker/wire-testing";
import { type ChatResponse, Ollama } from "ollama";
import { describe, expect, test } from "vitest";
import { OllamaScheme } from "../src/scheme.js";

const scheme = new OllamaScheme({ model: "test-model" });
const all = recordings("ollama");
const question = { model: "test-model", messages: [{ role: "user", content: "x" }] };

describe.skipIf(!hasSharedData)(
  `the official SDK reads the same from the same bytes${skippedWhen}`,
  () => {
    test.for(named(streamsOf(all)))("%s", async ([, { bytes }]) => {
      const parts: ChatResponse[] = [];
      const client = new Ollama({ fetch: fetchOf(bytes, "application/x-ndjson") });
      for await (const part of await client.chat({ ...question, stream: true })) parts.push(part);
      expect(toOutcome(decodeStream(scheme, [bytes]))).toMatchObject(sumOf(parts));
    });

    test.for(named(documentsOf(all)))("%s", async ([, { bytes }]) => {
      const client = new Ollama({ fetch: fetchOf(bytes, "application/json") });
      const part = await client.chat(question);
      expect(toOutcome(decodeDocument(scheme, bytes.toString()))).toMatchObject(sumOf([part]));
    });
  },
);

function sumOf(parts: readonly ChatResponse[]): object {
  const last = parts.at(-1);
  return {
    outcome: "ok",
    text: parts.map(({ message }) => message.content).join(""),
    reasoning: parts.map(({ message }) => message.thinking ?? "").join(""),
    toolCalls: parts
      .flatMap(({ message }) => message.tool_calls ?? [])
      .map((call) => ({ name: call.function.name, arguments: call.function.arguments })),
    usage: { inputTotal: last?.prompt_eval_count, outputTotal: last?.eval_count },
  };
}
