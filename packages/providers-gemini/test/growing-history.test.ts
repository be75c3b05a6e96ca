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
import { GeminiScheme } from "../src/scheme.js";
import { MODEL, opaque, ownCall, signedText, thought } from "./history.js";

const serverCall = (id: string): Item => opaque({ toolCall: { id } });
const serverResponse = (id: string): Item => opaque({ toolResponse: { id } });

const anyText = fc.constantFrom("", " ", "x", "größe → 🙂", 'li"ne\n', "half \ud83d");
const anyId = fc.constantFrom("1", "2", "a b");
const anyItem: fc.Arbitrary<Item> = fc.oneof(
  anyText.map(user),
  anyText.map(said),
  anyId.map((id) => call(id, '{"a":1.0}')),
  fc.tuple(anyId, anyText, fc.boolean()).map(([id, text, isError]) => result(id, text, isError)),
  fc.constantFrom(
    signedText("a", "c2ln"),
    thought({ thoughtSignature: "c2ln" }),
    ownCall("1", { id: "g1" }),
  ),
  fc.constantFrom(serverCall("s1"), serverCall("s2"), serverResponse("s1"), serverResponse("s2")),
);

test("a history that grew is sent in the bytes of one that is new", () => {
  fc.assert(
    fc.property(historySteps(anyItem), (steps) => {
      const { grown, atOnce } = bodiesOf(() => new GeminiScheme({ model: MODEL }), steps);
      expect(grown).toEqual(atOnce);
    }),
    { numRuns: 300 },
  );
});

test("a turn costs what is new in it, however long the history is", () => {
  const short = costOfTurn(new GeminiScheme({ model: MODEL }), 300);
  const long = costOfTurn(new GeminiScheme({ model: MODEL }), 1200);
  expect(long.readCount).toBe(short.readCount);
  expect(long.newBytes).toBeLessThan(40_000);
});
