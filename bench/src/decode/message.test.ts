import { expect, test } from "vitest";
import { answerOf, characterCount, createMessage, hashAnswer } from "./message.js";

const size = { thinkingDeltas: 30, textDeltas: 300, calls: 3, deltasPerCall: 40 };

test("a message has exactly the deltas that were asked for, each well-formed and none empty", () => {
  const { thinking, text, calls } = createMessage(size);
  expect([thinking.length, text.length, calls.length]).toEqual([30, 300, 3]);
  for (const { argumentPieces } of calls) expect(argumentPieces).toHaveLength(40);
  const pieces = [...thinking, ...text, ...calls.flatMap((call) => call.argumentPieces)];
  for (const piece of pieces) {
    expect(piece).not.toBe("");
    expect(piece.isWellFormed()).toBe(true);
  }
});

test("it is the same each time, and its answer has all that it says", () => {
  const message = createMessage(size);
  expect(createMessage(size)).toEqual(message);
  const answer = answerOf(message);
  const json = answer.calls.map(({ input }) => JSON.stringify(input)).join("");
  expect(answer.thinking.length + answer.text.length + json.length).toBe(characterCount(message));
  expect(answer.text).toMatch(/[東京"\\🚀\n]/u);
});

test("answers that differ in anything have another hash", () => {
  const answer = answerOf(createMessage(size));
  const others = [
    { ...answer, text: `${answer.text}.` },
    { ...answer, thinking: "" },
    { ...answer, calls: answer.calls.slice(1) },
  ];
  for (const other of others) expect(hashAnswer(other)).not.toBe(hashAnswer(answer));
  expect(hashAnswer(structuredClone(answer))).toBe(hashAnswer(answer));
});
