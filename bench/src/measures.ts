import type { Measure } from "./harness/measure.js";
import { economy } from "./economy/economy.js";
import { history } from "./history/history.js";
import { inspect } from "./inspect/inspect.js";

/** All measures, in the order in which they run and stand in the results. */
export const measures: readonly Measure[] = [history, inspect, economy];
