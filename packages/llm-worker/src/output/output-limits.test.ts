import { describe, expect, test } from "vitest";
import { OutputLimitsError } from "../errors.js";
import { balancedLimits, leanLimits, resolveOutputLimits } from "./output-limits.js";

describe("resolveOutputLimits", () => {
  test("takes later overrides first, and the defaults where there are none", () => {
    expect(resolveOutputLimits()).toEqual(leanLimits);
    expect(
      resolveOutputLimits(balancedLimits, undefined, { headLines: 9 }, { tailLines: 0 }),
    ).toEqual({
      ...balancedLimits,
      headLines: 9,
      tailLines: 0,
    });
  });

  test.each([
    ["inlineMaxBytes", -1],
    ["summaryMaxBytes", 100],
    ["headLines", 1.5],
    ["fallbackMaxBytes", Number.NaN],
    ["storeTimeoutMs", 0],
  ])("refuses %s of %d and says what is possible", (name, value) => {
    const resolve = (): unknown => resolveOutputLimits({ [name]: value });
    expect(resolve).toThrow(OutputLimitsError);
    expect(resolve).toThrow(new RegExp(`^${name} is .*: use a whole number of at least \\d+$`));
  });
});
