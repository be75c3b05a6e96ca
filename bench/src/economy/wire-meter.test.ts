import fc from "fast-check";
import { expect, test } from "vitest";
import { BYTES_PER_TOKEN, commonPrefixBytes, PRICES, WireMeter } from "./wire-meter.js";

test("the common prefix of two bodies is found byte by byte, whatever their sizes", () => {
  fc.assert(
    fc.property(
      fc.nat(40_000),
      fc.uint8Array({ maxLength: 20 }),
      fc.uint8Array({ maxLength: 20 }),
      (common, a, b) => {
        const start = Buffer.alloc(common, "prefix");
        let same = 0;
        while (same < Math.min(a.length, b.length) && a[same] === b[same]) same += 1;
        expect(commonPrefixBytes(Buffer.concat([start, a]), Buffer.concat([start, b]))).toBe(
          common + same,
        );
      },
    ),
  );
});

test("what is common with the last request is cheap, the rest is written, output is dear", () => {
  const meter = new WireMeter();
  expect(meter.addRequest("é".repeat(50))).toEqual({ tokens: 25, cachedTokens: 0 });
  expect(meter.addRequest(`${"é".repeat(50)}12345678`)).toEqual({ tokens: 27, cachedTokens: 25 });
  meter.addRequest("another beginning...");
  meter.addOutput("forty bytes of what the model has written");
  const cost = 100 * PRICES.cacheRead + (100 + 8 + 20) * PRICES.cacheWrite + 41 * PRICES.output;
  expect(meter.figures).toEqual({
    requests: 3,
    sentBytes: 228,
    cachedBytes: 100,
    outputBytes: 41,
    cost: Math.round(cost / BYTES_PER_TOKEN),
  });
});
