import { expect, test } from "vitest";
import { JSON_LAYOUTS, jsonBytes } from "./json-text.js";
import { logBytes, wideText } from "./log-text.js";

test("logs have exactly the size that was asked for, and lines of 95 bytes", () => {
  for (const byteCount of [1, 1000]) expect(logBytes(byteCount)).toHaveLength(byteCount);
  const byteCount = 5 * 1024 * 1024;
  const text = logBytes(byteCount).toString();
  expect(text).toHaveLength(byteCount);
  expect(Math.abs(byteCount / text.split("\n").length - 95)).toBeLessThan(5);
  expect(Buffer.byteLength(wideText(1000))).toBeGreaterThanOrEqual(1000);
});

test.each(JSON_LAYOUTS)("%s is JSON of about the size that was asked for", (layout) => {
  const bytes = jsonBytes(layout, 100_000);
  expect(bytes.length).toBeGreaterThanOrEqual(100_000);
  expect(bytes.length).toBeLessThan(105_000);
  const texts = layout === "ndjson" ? bytes.toString().trimEnd().split("\n") : [bytes.toString()];
  for (const text of texts) expect(JSON.parse(text)).toBeTypeOf("object");
});
