import { isDeepStrictEqual } from "node:util";
import type { Scheme } from "llm-worker";
import { decodeParsingAll, decodeStream } from "./decode.js";
import { mutate, seededRandom } from "./mutate.js";
import { toOutcome } from "./outcome.js";
import type { Recording } from "./shared-data.js";

/** How many broken streams are tried: few in the suite, more by hand (`LLM_WORKER_FUZZ_RUNS`). */
export const FUZZ_RUNS: number = Number(process.env["LLM_WORKER_FUZZ_RUNS"] ?? 2_000);

/** Enough for every kind of event, and fast. */
const MAX_FUZZED_BYTES = 8_000;

/**
 * Decodes broken versions of recorded streams and checks that nothing throws, that each block ends,
 * that the response does, and that what repeats is decoded as if it did not.
 */
export function fuzzStreams(
  scheme: Scheme,
  streams: readonly Recording[],
  runs: number = FUZZ_RUNS,
): number {
  const random = seededRandom(1);
  const frameEnd = scheme.framing === "sse" ? "\n\n" : "\n";
  for (let run = 0; run < runs; run += 1) {
    const { name, bytes } = streams[run % streams.length] ?? {
      name: "nothing",
      bytes: Buffer.of(),
    };
    // Half of the streams keep their end, which is where most wires say how they ended.
    const start = run % 2 === 0 ? 0 : Math.max(0, bytes.length - MAX_FUZZED_BYTES);
    const part = bytes.subarray(start, start + MAX_FUZZED_BYTES);
    const broken = mutate(withLineFeeds(part), frameEnd, random);
    try {
      const events = decodeStream(scheme, [broken]);
      toOutcome(events);
      if (!isDeepStrictEqual(events, decodeParsingAll(scheme, [broken]))) {
        throw new Error("parsing every frame in full gives other events");
      }
    } catch (cause) {
      const text = Buffer.from(broken).toString();
      throw new Error(`run ${run} on ${name} broke a promise of the scheme:\n${text}`, { cause });
    }
  }
  return runs;
}

/** The mutations tell frames apart by their line feeds; some servers end lines with CR LF. */
function withLineFeeds(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
}
