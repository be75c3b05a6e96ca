import { expect, test } from "vitest";
import { nearKeys } from "./near-keys.js";

test("a name that differs in case, punctuation or a letter is found, the nearest first", () => {
  const keys = ["name", "createdAt", "updated_at", "user_name", "id"];
  expect(nearKeys("created_at", keys, 3)[0]).toBe("createdAt");
  expect(nearKeys("Name", keys, 3)).toEqual(["name", "user_name"]);
  expect(nearKeys("updatedat", keys, 1)).toEqual(["updated_at"]);
  expect(nearKeys("nmae", ["nmea", "other"], 3)).toEqual([]);
});

test("nothing is near to a name of another kind", () => {
  expect(nearKeys("zzz", ["name", "id", ""], 3)).toEqual([]);
  expect(nearKeys("", ["name"], 3)).toEqual([]);
});

test("long names cost no more than their beginning", () => {
  const long = "a".repeat(100_000);
  expect(nearKeys(long, [`${long}b`], 3)).toEqual([`${long}b`]);
});
