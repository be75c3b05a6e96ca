import { expect, test } from "vitest";
import { type Item, userMessage } from "../model/item.js";
import { estimateTextTokens, MEDIA_TOKENS, TokenEstimator } from "./token-estimator.js";

const request = (items: readonly Item[]): { tools: []; items: readonly Item[] } => ({
  tools: [],
  items,
});

test("F27: estimates respect scripts", () => {
  expect(estimateTextTokens("漢".repeat(1000))).toBeGreaterThanOrEqual(600);
  expect(estimateTextTokens("a".repeat(1000))).toBeGreaterThanOrEqual(200);
  expect(estimateTextTokens("a".repeat(1000))).toBeLessThanOrEqual(350);
  expect(estimateTextTokens("😀".repeat(1000))).toBeGreaterThanOrEqual(1000);
  expect(estimateTextTokens("д".repeat(1000))).toBeGreaterThanOrEqual(400);
  expect(estimateTextTokens("д".repeat(1000))).toBeLessThanOrEqual(600);
});

test("a report of no tokens, or on nothing, is not learned from", () => {
  const estimator = new TokenEstimator();
  const one = request([userMessage("some words")]);
  const before = estimator.request(one);
  estimator.correct(one, 0);
  estimator.correct(request([]), 500);
  expect(estimator.request(one)).toBe(before);
});

test("F27: an image is not estimated from the length of its base64", () => {
  const image: Item = {
    type: "tool_result",
    callId: "c",
    summary: "a chart",
    parts: [
      {
        type: "image",
        source: { type: "base64", mediaType: "image/png", data: "A".repeat(200_000) },
      },
    ],
  };
  expect(new TokenEstimator().item(image)).toBeLessThan(MEDIA_TOKENS + 20);
});

test("F27: after a report, estimates of the same conversation are within 15 % of what is billed", () => {
  const billed = (items: readonly Item[]): number => 37 + items.length * 611;
  const estimator = new TokenEstimator();
  const items: Item[] = [];
  items.push(userMessage("first ".repeat(100)));
  estimator.correct(request(items), billed(items));
  for (let i = 1; i < 40; i += 1) {
    items.push(userMessage(`message ${i} `.repeat(60)));
    const estimate = estimator.request(request(items));
    expect(Math.abs(estimate - billed(items)) / billed(items)).toBeLessThan(0.15);
    estimator.correct(request(items), billed(items));
  }
});

test("a result costs its summary and its content", () => {
  const result = { type: "tool_result", callId: "c", summary: "" } as const;
  const estimator = new TokenEstimator((text) => text.length);
  const empty = estimator.item(result);
  expect(estimator.item({ ...result, summary: "abc" })).toBe(empty + 3);
  expect(estimator.item({ ...result, summary: "abc", content: "defgh" })).toBe(empty + 8);
});

test("a call costs its name and its arguments", () => {
  const call = { type: "tool_call", callId: "c" } as const;
  const estimator = new TokenEstimator((text) => text.length);
  const empty = estimator.item({ ...call, name: "", arguments: "" });
  expect(estimator.item({ ...call, name: "read", arguments: '{"a":1}' })).toBe(empty + 4 + 7);
});

test("an item is looked at once, however many requests it is in", () => {
  let characters = 0;
  const estimator = new TokenEstimator((text) => ((characters += text.length), text.length / 4));
  const items = Array.from({ length: 100 }, (_, i) => userMessage(`item ${i}`.padEnd(10)));
  for (let n = 1; n <= 100; n += 1) estimator.request(request(items.slice(0, n)));
  expect(characters).toBe(1000);
});
