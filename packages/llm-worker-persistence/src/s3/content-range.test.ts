import { expect, test } from "vitest";
import { formatRange, parseContentRange } from "./content-range.js";

test("a range is written with its last byte, and read from the answer to it", () => {
  expect(formatRange(0, 1)).toBe("bytes=0-0");
  expect(formatRange(100, 300)).toBe("bytes=100-299");
  expect(parseContentRange("bytes 100-299/1000")).toEqual({
    start: 100,
    end: 300,
    totalBytes: 1000,
  });
});

test.each([undefined, "", "bytes */100", "bytes 5-4/10", "bytes 0-10/10", "items 0-1/2"])(
  "%j is no range of an object",
  (header) => {
    expect(parseContentRange(header)).toBeUndefined();
  },
);
