import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { GrowingText } from "./growing-text.js";

test("is all that was added, whenever it is looked at", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "binary", maxLength: 3 }), { minLength: 1, maxLength: 5 }),
      fc.nat(2000),
      fc.integer({ min: 1, max: 400 }),
      (some, count, step) => {
        const text = new GrowingText();
        let expected = "";
        for (let n = 0; n < count; n++) {
          const isLookedAt = n % step === 0;
          expect(isLookedAt ? text.toString() : expected).toBe(expected);
          const piece = some[n % some.length] ?? "";
          text.add(piece);
          expected += piece;
        }
        expect(text.toString()).toBe(expected);
      },
    ),
  );
});

test("each piece is joined at most twice, however many there are", () => {
  const joins = vi.spyOn(Array.prototype, "join");
  const text = new GrowingText();
  for (let count = 0; count < 100_000; count++) text.add("x");
  text.toString();
  const characters = joins.mock.results.reduce((sum, { value }) => sum + String(value).length, 0);
  joins.mockRestore();
  expect(characters).toBeLessThanOrEqual(200_000);
});
