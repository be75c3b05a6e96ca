import type { Measure } from "./harness/measure.js";
import { blobs } from "./blobs/blobs.js";
import { decode } from "./decode/decode.js";
import { deltas } from "./deltas/deltas.js";
import { economy } from "./economy/economy.js";
import { history } from "./history/history.js";
import { inspect } from "./inspect/inspect.js";
import { promote } from "./promote/promote.js";
import { s3 } from "./s3/s3.js";
import { soak } from "./soak/soak.js";
import { start } from "./start/start.js";
import { stream } from "./stream/stream.js";

/** All measures, in the order in which they run and stand in the results. */
export const measures: readonly Measure[] = [
  decode,
  deltas,
  history,
  promote,
  stream,
  inspect,
  s3,
  blobs,
  start,
  economy,
  soak,
];
