import { expect, test } from "vitest";
import { userMessage } from "../model/item.js";
import { ItemMemo } from "./item-memo.js";

test("an item is worked on once, and once more under another call id", () => {
  const seen: unknown[] = [];
  const memo = new ItemMemo(({ callId }) => seen.push(callId));
  const item = userMessage("a");
  const first = memo.get({ item, position: 0, callId: "1" });
  expect(memo.get({ item, position: 5, callId: "1" })).toBe(first);
  memo.get({ item, position: 5, callId: "1#2" });
  memo.get({ item: userMessage("a"), position: 0 });
  expect(seen).toEqual(["1", "1#2", undefined]);
});
