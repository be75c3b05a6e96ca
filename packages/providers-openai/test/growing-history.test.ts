import {
  bodiesOf,
  call,
  costOfTurn,
  historySteps,
  opaque,
  result,
  said,
  thought,
  user,
} from "@llm-worker/wire-testing";
import fc from "fast-check";
import type { Item } from "llm-worker";
import { expect, test } from "vitest";
import { OpenAIChatScheme } from "../src/chat/scheme.js";
import { OpenAIResponsesScheme } from "../src/responses/scheme.js";
import { MODEL } from "./requests.js";

const RESPONSES = "openai-responses";
const reasoning = (id: string): Item =>
  thought(RESPONSES, MODEL, { type: "reasoning", id, encrypted_content: "e" });
const part = (id: string): Item => ({
  type: "message",
  role: "assistant",
  content: [{ type: "text", text: "part" }],
  providerData: { scheme: RESPONSES, model: MODEL, data: { type: "message", id } },
});
const shell = (type: string): Item => opaque(RESPONSES, MODEL, { type, id: type, call_id: "s1" });

const anyText = fc.constantFrom("", " ", "x", "größe → 🙂", 'li"ne\n', "half \ud83d");
const anyId = fc.constantFrom("1", "2", "a b");
const anyItem: fc.Arbitrary<Item> = fc.oneof(
  anyText.map(user),
  anyText.map(said),
  anyId.map((id) => call(id, '{"a":1.0}')),
  fc.tuple(anyId, anyText, fc.boolean()).map(([id, text, isError]) => result(id, text, isError)),
  fc.constantFrom(reasoning("rs_1"), reasoning("rs_2"), part("msg_1"), part("msg_2")),
  fc.constantFrom(shell("shell_call"), shell("shell_call_output"), shell("web_search_call")),
  fc.constant(thought("openai-chat", MODEL, { field: "reasoning_content" })),
);

test("Responses: a history that grew is sent in the bytes of one that is new", () => {
  fc.assert(
    fc.property(historySteps(anyItem), (steps) => {
      const { grown, atOnce } = bodiesOf(() => new OpenAIResponsesScheme({ model: MODEL }), steps);
      expect(grown).toEqual(atOnce);
    }),
    { numRuns: 300 },
  );
});

test("Responses: a turn costs what is new in it, however long the history is", () => {
  const short = costOfTurn(new OpenAIResponsesScheme({ model: MODEL }), 300);
  const long = costOfTurn(new OpenAIResponsesScheme({ model: MODEL }), 1200);
  expect(long.readCount).toBe(short.readCount);
  expect(long.newBytes).toBeLessThan(40_000);
});

test("Chat: a history that grew is sent in the bytes of one that is new", () => {
  fc.assert(
    fc.property(historySteps(anyItem), (steps) => {
      const { grown, atOnce } = bodiesOf(() => new OpenAIChatScheme({ model: MODEL }), steps);
      expect(grown).toEqual(atOnce);
    }),
    { numRuns: 300 },
  );
});

test("Chat: a turn costs what is new in it, however long the history is", () => {
  const short = costOfTurn(new OpenAIChatScheme({ model: MODEL }), 300);
  const long = costOfTurn(new OpenAIChatScheme({ model: MODEL }), 1200);
  expect(long.readCount).toBe(short.readCount);
  expect(long.newBytes).toBeLessThan(40_000);
});
