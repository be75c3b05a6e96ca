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
  type Outcome,
  piecesOf,
  type RecordedWire,
  type Recording,
  recordings,
  skippedWhen,
  streamsOf,
  toOutcome,
} from "@llm-worker/wire-testing";
import fc from "fast-check";
import type { Scheme } from "llm-worker";
import { describe, expect, test } from "vitest";

/** Where a recording's expectation does not hold, and what holds instead. */
export interface WireExceptions {
  readonly outcomes?: Readonly<Record<string, Partial<Outcome>>>;
  readonly errors?: Readonly<Record<string, object>>;
}

/** Decodes all recordings of a wire, whole and in pieces, and broken ones. */
export function describeRecordings(
  wire: RecordedWire,
  scheme: Scheme,
  exceptions: WireExceptions,
): void {
  const all = recordings(wire);
  const streams = streamsOf(all);

  describe.skipIf(!hasSharedData)(`recorded streams decode to what was meant${skippedWhen}`, () => {
    test.for(named(streams))("%s", ([, { name, bytes, chunkLengths = [], expected }]) => {
      const whole = decodeStream(scheme, [bytes]);
      expect(toOutcome(whole)).toMatchObject({
        ...meaningOf(expected),
        ...exceptions.outcomes?.[name],
      });
      expect(decodeStream(scheme, piecesOf(bytes, 1))).toEqual(whole);
      expect(decodeStream(scheme, piecesOf(bytes, 5))).toEqual(whole);
      expect(decodeStream(scheme, inChunks(bytes, chunkLengths))).toEqual(whole);
      const places = fc.array(fc.nat(bytes.length), { maxLength: 20 });
      fc.assert(
        fc.property(places, (cuts) => {
          expect(decodeStream(scheme, cutAt(bytes, cuts))).toEqual(whole);
        }),
        { numRuns: 5 },
      );
    });
  });

  describe.skipIf(!hasSharedData)(`recorded documents decode like streams${skippedWhen}`, () => {
    test.for(named(documentsOf(all)))("%s", ([, { name, bytes, expected }]) => {
      const outcome = toOutcome(decodeDocument(scheme, bytes.toString()));
      expect(outcome).toMatchObject({ ...meaningOf(expected), ...exceptions.outcomes?.[name] });
      expect(outcome.error?.message).toBe(expected.error?.message);
    });
  });

  describe.skipIf(!hasSharedData)(`recorded failures are classified${skippedWhen}`, () => {
    test.for(named(failuresOf(all)))("%s", ([, recording]) => {
      const { name, status, bytes, headers } = recording;
      const error = scheme.parseError(status, bytes.toString(), headers);
      expect(error).toMatchObject({ ...errorOf(recording), ...exceptions.errors?.[name] });
    });
  });

  describe.skipIf(!hasSharedData)(`broken streams${skippedWhen}`, () => {
    test("never throw, and end each block and themselves", () => {
      expect(fuzzStreams(scheme, streams)).toBe(FUZZ_RUNS);
    });
  });
}

function errorOf({ expected }: Recording): object {
  const { status, retryable, retryAfterMs, type, code, message } = expected.error ?? {};
  return {
    status,
    retryable,
    retryAfterMs: retryAfterMs ?? undefined,
    message: message?.replace(/\s+/g, " ").trim(),
    providerType: type ?? code?.toString(),
  };
}
