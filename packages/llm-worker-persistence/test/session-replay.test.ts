import fc from "fast-check";
import { expect, test } from "vitest";
import { RandomSession, step } from "./support/random-session.js";

/** More for a long look: the suite has to stay short. */
const RUNS = Number(process.env["LLM_WORKER_SESSION_RUNS"] ?? 60);

test(
  "whatever happens in a session, its log replays to exactly what the worker remembers",
  async () => {
    let cuts = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 8 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (program, cut) => {
          const session = new RandomSession();
          await session.start();
          for (const taken of program) {
            await session.take(taken);
            await session.save();
            await session.check();
          }
          await session.checkCutAt(cut);
          cuts += 1;
        },
      ),
      { numRuns: RUNS },
    );
    expect(cuts).toBe(RUNS);
  },
  RUNS * 1000,
);
