import { measureUsage } from "../harness/usage.js";
import { median } from "../harness/statistics.js";
import type { Place } from "./corpus.js";

/** Shows what lies at a place, as text. */
export type ReadPlace = (place: Place) => Promise<string>;

/** What one subject's reads have cost, by metric. */
export type ReadFigures = Readonly<Record<string, number>>;

/**
 * Reads the last place as the first call of this process, and then the others.
 *
 * @throws Error if an answer is wrong
 */
export async function measureReads(
  places: readonly Place[],
  read: ReadPlace,
): Promise<ReadFigures> {
  const [firstPlace, ...others] = places.toReversed();
  if (firstPlace === undefined) throw new Error("there is nothing to read");
  const first = await measureUsage(() => read(firstPlace));
  check(firstPlace, first.result);
  const figures = {
    "ms, first call": first.usage.wallMs,
    "added RSS MB, first call": first.usage.addedRssMb,
  };
  if (others.length === 0) return figures;
  const wallMs: number[] = [];
  const all = await measureUsage(async () => {
    for (const place of others) {
      const startedAt = performance.now();
      const answer = await read(place);
      wallMs.push(performance.now() - startedAt);
      check(place, answer);
    }
  });
  return {
    ...figures,
    "ms, steady": median(wallMs),
    "CPU ms, steady": all.usage.cpuMs / others.length,
  };
}

function check({ selector, answer }: Place, found: string): void {
  if (found === answer) return;
  const shown = JSON.stringify(found.slice(0, 200));
  throw new Error(`${selector} is answered with ${shown}`);
}
