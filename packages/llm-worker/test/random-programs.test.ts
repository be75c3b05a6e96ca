import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Session, step } from "./support/random-session.js";

const rejections: unknown[] = [];
const onRejection = (reason: unknown): void => void rejections.push(reason);
beforeAll(() => process.on("unhandledRejection", onRejection));
afterAll(() => process.off("unhandledRejection", onRejection));

test("whatever happens to a session, its history can be continued and nothing is lost", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (program) => {
      const session = new Session();
      for (const taken of program) {
        await session.take(taken);
        await new Promise(setImmediate);
        await session.check();
      }
      expect(rejections).toEqual([]);
    }),
    { numRuns: 150 },
  );
});
