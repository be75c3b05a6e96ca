import {
  cutAt,
  decodeDocument,
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
import { describe, expect, test } from "vitest";
import { decode, scheme } from "./decode.js";

const all = recordings("anthropic");
const streams = streamsOf(all);
const documents = documentsOf(all);
const failures = failuresOf(all);

describe.skipIf(!hasSharedData)(`recorded streams decode to what was meant${skippedWhen}`, () => {
  test.for(named(streams))("%s", ([, recording]) => {
    const { bytes, chunkLengths = [], expected } = recording;
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

  test("F6: a stream that is cut anywhere before its end marker is never a finished turn", () => {
    for (const { bytes } of streams) {
      const end = bytes.lastIndexOf("message_stop");
      for (const share of [0.1, 0.5, 0.9, 1]) {
        const outcome = toOutcome(decode([bytes.subarray(0, Math.floor(end * share) - 10)]));
        expect(outcome).toMatchObject({ outcome: "incomplete", stopReason: undefined });
      }
    }
  });
});

describe.skipIf(!hasSharedData)(`recorded documents decode like streams${skippedWhen}`, () => {
  test.for(named(documents))("%s", ([, { bytes, expected }]) => {
    expect(toOutcome(decodeDocument(scheme, bytes.toString()))).toMatchObject(meaningOf(expected));
  });
});

describe.skipIf(!hasSharedData)(`recorded failures are classified${skippedWhen}`, () => {
  test.for(named(failures))("%s", ([, { status, bytes, headers, expected }]) => {
    const error = scheme.parseError(status, bytes.toString(), headers);
    expect(error).toMatchObject({
      status: expected.error?.status,
      retryable: expected.error?.retryable,
      message: expected.error?.message,
      providerType: expected.error?.type,
    });
    expect(error.retryAfterMs ?? null).toBe(expected.error?.retryAfterMs);
  });
});

describe.skipIf(!hasSharedData)(`broken streams${skippedWhen}`, () => {
  test("never throw, and end each block and themselves", () => {
    expect(fuzzStreams(scheme, streams)).toBe(FUZZ_RUNS);
  });
});
