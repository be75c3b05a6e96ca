import fc from "fast-check";
import { expect, test } from "vitest";
import { argumentsJson } from "./arguments-json.js";
import { wireCallId } from "./call-id.js";

test("arguments that are an object go back byte for byte", () => {
  for (const text of [
    "{}",
    '{ "a" : 1.0 }',
    '{"b":1e400,"a":12345678901234567890}',
    '{"a":1,"a":2}',
  ]) {
    expect(argumentsJson(text)).toBe(text);
  }
  expect(argumentsJson(' {"a":1}\n')).toBe('{"a":1}');
});

test("A17, C9: no arguments are an empty object", () => {
  expect(argumentsJson("")).toBe("{}");
  expect(argumentsJson(" \n")).toBe("{}");
});

test("C18: what is no JSON object is shown to the model as it wrote it", () => {
  for (const text of ['{"a":', "[1]", '"x"', "null", "1", "not JSON", "{'a':1}"]) {
    expect(JSON.parse(argumentsJson(text))).toEqual({ _raw: text });
  }
});

test("half a character is replaced, escaped or not, and nothing else is", () => {
  expect(argumentsJson('{"a":"\ud83d"}')).toBe('{"a":"\uFFFD"}');
  expect(argumentsJson(String.raw`{"a":"\ud83d","b":"\uDE00x"}`)).toBe(
    '{"a":"\uFFFD","b":"\uFFFDx"}',
  );
  const fine = String.raw`{"pair":"\ud83d\ude00","text":"\\ud83d","other":"\u00e9\n"}`;
  expect(argumentsJson(fine)).toBe(fine);
});

test("any text becomes a JSON object without half characters", () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string({ unit: "binary" })), (text) => {
      const json = argumentsJson(text);
      expect(json.isWellFormed()).toBe(true);
      expect(JSON.stringify(JSON.parse(json))).toMatch(/^\{/);
    }),
  );
});

const ALLOWED = /^[a-zA-Z0-9_-]{1,64}$/;

test("A22: ids that fit stay; others are mapped alike each time and stay apart", () => {
  expect(wireCallId("toolu_1", ALLOWED)).toBe("toolu_1");
  const ids = ["", "a/../../b", "a b", "é\u0000x", "x".repeat(1500), "x".repeat(1501)];
  const mapped = ids.map((id) => wireCallId(id, ALLOWED));
  for (const id of mapped) expect(id).toMatch(ALLOWED);
  expect(new Set(mapped).size).toBe(ids.length);
  expect(ids.map((id) => wireCallId(id, ALLOWED))).toEqual(mapped);
});
