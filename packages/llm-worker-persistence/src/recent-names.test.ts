import { expect, test } from "vitest";
import { RecentNames } from "./recent-names.js";

test("a name is new once, and again when 10,000 others have come up since", () => {
  const names = new RecentNames();
  expect([names.isNew("a"), names.isNew("b"), names.isNew("a")]).toEqual([true, true, false]);
  for (let i = 0; i < 9_999; i++) names.isNew(`other ${i}`);
  expect([names.isNew("a"), names.isNew("b")]).toEqual([false, true]);
});
