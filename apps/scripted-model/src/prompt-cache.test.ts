import { expect, test } from "vitest";
import { type PromptBlock, PromptCache } from "./prompt-cache.js";

const block = (letter: string, mark?: PromptBlock["mark"]): PromptBlock => ({
  text: letter.repeat(4000),
  scope: "user",
  mark,
});

test("a marked prefix is written once and read from then on", () => {
  const cache = new PromptCache();
  expect(cache.account([block("a", "5m"), block("b")])).toEqual({
    uncachedTokens: 1000,
    cacheReadTokens: 0,
    cacheWriteTokens: { "5m": 1000, "1h": 0 },
  });
  expect(cache.account([block("a", "5m"), block("c")])).toMatchObject({
    uncachedTokens: 1000,
    cacheReadTokens: 1000,
    cacheWriteTokens: { "5m": 0 },
  });
});

test("a mark further on reads the older prefix and writes the rest", () => {
  const cache = new PromptCache();
  cache.account([block("a"), block("b", "1h")]);
  expect(cache.account([block("a"), block("b"), block("c", "1h"), block("d")])).toEqual({
    uncachedTokens: 1000,
    cacheReadTokens: 2000,
    cacheWriteTokens: { "5m": 0, "1h": 1000 },
  });
});

test("a change anywhere in the prefix is a miss", () => {
  const cache = new PromptCache();
  cache.account([block("a"), block("b", "5m")]);
  const changed = { ...block("a"), scope: "assistant" };
  expect(cache.account([changed, block("b", "5m")])).toMatchObject({ cacheReadTokens: 0 });
});

test("nothing is cached without a mark, or below the smallest prefix", () => {
  const cache = new PromptCache();
  const short: PromptBlock = { text: "short", scope: "user", mark: "5m" };
  for (const blocks of [[block("a")], [short]]) {
    cache.account(blocks);
    expect(cache.account(blocks)).toMatchObject({
      cacheReadTokens: 0,
      cacheWriteTokens: { "5m": 0 },
    });
  }
});
