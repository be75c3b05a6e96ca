import {
  bodiesOf,
  call,
  costOfTurn,
  historySteps,
  result,
  said,
  user,
} from "@llm-worker/wire-testing";
import fc from "fast-check";
import type { Item } from "llm-worker";
import { expect, test } from "vitest";
import { AnthropicScheme } from "../src/scheme.js";
import { MODEL, opaque, thought } from "./history.js";

const serverUse = (id: string): Item =>
  opaque({ type: "server_tool_use", id, name: "web_search", input: { query: "x" } });
const serverResult = (id: string): Item =>
  opaque({ type: "web_search_tool_result", tool_use_id: id, content: [] });

const anyText = fc.constantFrom("", " ", "x", "größe → 🙂", 'li"ne\n', "half \ud83d");
const anyId = fc.constantFrom("1", "2", "a b");
const anyItem: fc.Arbitrary<Item> = fc.oneof(
  anyText.map(user),
  anyText.map(said),
  anyId.map((id) => call(id, '{"a":1.0}')),
  fc.tuple(anyId, anyText, fc.boolean()).map(([id, text, isError]) => result(id, text, isError)),
  fc.constantFrom(thought("c2ln"), thought("c2ln", "claude-other"), opaque({ type: "other" })),
  fc.constantFrom(serverUse("s1"), serverUse("s2"), serverResult("s1"), serverResult("s2")),
);

test("a history that grew is sent in the bytes of one that is new", () => {
  fc.assert(
    fc.property(historySteps(anyItem), (steps) => {
      const { grown, atOnce } = bodiesOf(() => new AnthropicScheme({ model: MODEL }), steps);
      expect(grown).toEqual(atOnce);
    }),
    { numRuns: 300 },
  );
});

test("a turn costs what is new in it, however long the history is", () => {
  const short = costOfTurn(new AnthropicScheme({ model: MODEL }), 300);
  const long = costOfTurn(new AnthropicScheme({ model: MODEL }), 1200);
  expect(long.readCount).toBe(short.readCount);
  expect(long.newBytes).toBeLessThan(40_000);
});
