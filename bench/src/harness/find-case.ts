import type { Case } from "./measure.js";

/** The case of this metric whose name satisfies `isIt`. @throws Error if there is none */
export function findCase(
  cases: readonly Case[],
  metric: string,
  isIt: (name: string) => boolean,
): Case {
  const found = cases.find((one) => one.metric === metric && isIt(one.name));
  if (found === undefined) throw new Error(`there is no such case of "${metric}"`);
  return found;
}
