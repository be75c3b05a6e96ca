import {
  cutAt,
  decodeDocument,
  decodeStream,
  documentsOf,
  failuresOf,
  FUZZ_RUNS,
  fuzzStreams,
  hasSharedData,
  inChunks,
  meaningOf,
  named,
  piecesOf,
  recordings,
  skippedWhen,
  streamsOf,
  toOutcome,
} from "@llm-worker/wire-testing";
import fc from "fast-check";
import type { Event } from "llm-worker";
import { describe, expect, test } from "vitest";
import { OllamaScheme } from "../src/scheme.js";

const scheme = new OllamaScheme({ model: "test-model" });
const decode = (pieces: Iterable<Uint8Array>): readonly Event[] => decodeStream(scheme, pieces);
const all = recordings("ollama");
const streams = streamsOf(all);

describe.skipIf(!hasSharedData)(`recorded streams decode to what was meant${skippedWhen}`, () => {
  test.for(named(streams))("%s", ([, { bytes, chunkLengths = [], expected }]) => {
    const whole = decode([bytes]);
    expect(toOutcome(whole)).toMatchObject(meaningOf(expected));
    expect(decode(piecesOf(bytes, 1))).toEqual(whole);
    expect(decode(piecesOf(bytes, 5))).toEqual(whole);
    expect(decode(inChunks(bytes, chunkLengths))).toEqual(whole);
    const places = fc.array(fc.nat(bytes.length), { maxLength: 20 });
    fc.assert(
      fc.property(places, (cuts) => {
        expect(decode(cutAt(bytes, cuts))).toEqual(whole);
      }),
      { numRuns: 5 },
    );
  });

  test("L5, F6: a stream that is cut anywhere before its end marker is never a finished turn", () => {
    for (const { bytes } of streams) {
      const end = bytes.lastIndexOf('"done":true');
      for (const share of [0.1, 0.5, 0.9, 1]) {
        const outcome = toOutcome(decode([bytes.subarray(0, Math.floor(end * share))]));
        expect(outcome).toMatchObject({ outcome: "incomplete", stopReason: undefined });
      }
    }
  });

  test("broken streams break nothing: every block ends once, and the answer has an end", () => {
    expect(fuzzStreams(scheme, streams)).toBe(FUZZ_RUNS);
  });
});

describe.skipIf(!hasSharedData)(`recorded documents decode like streams${skippedWhen}`, () => {
  test.for(named(documentsOf(all)))("%s", ([, { bytes, expected }]) => {
    const outcome = toOutcome(decodeDocument(scheme, bytes.toString()));
    expect(outcome).toMatchObject(meaningOf(expected));
  });
});

describe.skipIf(!hasSharedData)(`recorded failures are classified${skippedWhen}`, () => {
  test.for(named(failuresOf(all)))("%s", ([, { status, bytes, headers, expected }]) => {
    const error = scheme.parseError(status, bytes.toString(), headers);
    expect(error).toMatchObject({
      status: expected.error?.status,
      retryable: expected.error?.retryable,
      message: expected.error?.message,
    });
    expect(error.retryAfterMs ?? null).toBe(expected.error?.retryAfterMs);
  });
});
