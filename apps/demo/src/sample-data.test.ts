import { expect, test } from "vitest";
import { createSamples } from "./sample-data.js";

function texts(seed: number): string[] {
  return createSamples(seed).map((sample) => [...sample.text].join(""));
}

test("the same seed makes the same files, another seed others", () => {
  expect(texts(7)).toEqual(texts(7));
  expect(texts(7)).not.toEqual(texts(8));
});

test("the log is large, and three of its lines tell of the request that is asked for", () => {
  const [log] = createSamples(3);
  const text = [...(log?.text ?? [])].join("");
  const request = /req-[0-9a-f]{8}/u.exec(log?.question ?? "")?.[0] ?? "none";
  expect(text.length).toBeGreaterThan(5_000_000);
  expect(text.split("\n").filter((line) => line.includes(request))).toHaveLength(3);
});

test("the users are an array in one line, and the number that is asked for is one user's alone", () => {
  const [, users] = createSamples(3);
  const text = [...(users?.text ?? [])].join("");
  const id = Number(/\d+/u.exec(users?.question ?? "")?.[0]);
  expect(text.length).toBeGreaterThan(2_500_000);
  expect(text).not.toContain("\n");
  const records = JSON.parse(text) as { id: number; email: string }[];
  expect(records.filter((record) => record.id === id)).toHaveLength(1);
  expect(text.split(String(id))).toHaveLength(2);
});
