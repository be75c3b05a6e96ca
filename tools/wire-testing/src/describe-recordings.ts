import fc from "fast-check";
import type { Event, Scheme } from "llm-worker";
import { describe, expect, test } from "vitest";
import { decodeDocument, decodeParsingAll, decodeStream } from "./decode.js";
import { FUZZ_RUNS, fuzzStreams } from "./fuzz.js";
import { type Outcome, toOutcome } from "./outcome.js";
import { cutAt, inChunks, piecesOf } from "./pieces.js";
import {
  documentsOf,
  type Expected,
  failuresOf,
  hasSharedData,
  meaningOf,
  named,
  type RecordedWire,
  type Recording,
  recordings,
  skippedWhen,
  streamsOf,
} from "./shared-data.js";

/** Where recordings and their expectations do not bind, and what holds instead. */
export interface RecordingExceptions {
  /** By name of the recording. */
  readonly outcomes?: Readonly<Record<string, Partial<Outcome>>> | undefined;
  /** By name of the recording. */
  readonly errors?: Readonly<Record<string, object>> | undefined;
  /** How text is cut into parts does not bind, as where a signed text is a block of its own. */
  readonly textParts?: "as_cut" | "joined" | undefined;
}

/** Decodes all recordings of a wire, whole and in pieces, and broken ones. */
export function describeRecordings(
  wire: RecordedWire,
  scheme: Scheme,
  { outcomes = {}, errors = {}, textParts = "as_cut" }: RecordingExceptions = {},
): void {
  const all = recordings(wire);
  const streams = streamsOf(all);
  const joined = textParts === "joined" ? joinText : (parts: readonly string[]) => parts;
  const outcomeOf = (events: readonly Event[]): Outcome => {
    const outcome = toOutcome(events);
    return { ...outcome, parts: joined(outcome.parts) };
  };
  const wanted = (name: string, expected: Expected): Partial<Outcome> => {
    const meaning = { ...meaningOf(expected), ...outcomes[name] };
    return meaning.parts === undefined ? meaning : { ...meaning, parts: joined(meaning.parts) };
  };

  describe.skipIf(!hasSharedData)(`recorded streams decode to what was meant${skippedWhen}`, () => {
    test.for(named(streams))("%s", ([, { name, bytes, chunkLengths = [], expected }]) => {
      const whole = decodeStream(scheme, [bytes]);
      expect(outcomeOf(whole)).toMatchObject(wanted(name, expected));
      // Also of events that are kept until others have come: what they say does not change.
      expect(decodeParsingAll(scheme, [bytes])).toStrictEqual(whole);
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
      const outcome = outcomeOf(decodeDocument(scheme, bytes.toString()));
      expect(outcome).toMatchObject(wanted(name, expected));
      expect(outcome.error?.message).toBe(expected.error?.message);
    });
  });

  describe.skipIf(!hasSharedData)(`recorded failures are classified${skippedWhen}`, () => {
    test.for(named(failuresOf(all)))("%s", ([, recording]) => {
      const { name, status, bytes, headers } = recording;
      const error = scheme.parseError(status, bytes.toString(), headers);
      expect(error).toMatchObject({ ...errorOf(recording), ...errors[name] });
    });
  });

  describe.skipIf(!hasSharedData)(`broken streams${skippedWhen}`, () => {
    test("never throw, and end each block and themselves", () => {
      expect(fuzzStreams(scheme, streams)).toBe(FUZZ_RUNS);
    });
  });
}

/**
 * Cuts all streams of a wire before their end marker: none may count as a finished turn. Streams
 * for which `endOf` gives less than 0 have no marker and are left out.
 */
export function testCutStreams(
  title: string,
  wire: RecordedWire,
  scheme: Scheme,
  endOf: (bytes: Buffer) => number,
): void {
  test.skipIf(!hasSharedData)(`${title}${skippedWhen}`, () => {
    for (const { name, bytes } of streamsOf(recordings(wire))) {
      const end = endOf(bytes);
      if (end < 0) continue;
      for (const share of [0.1, 0.5, 0.9, 1]) {
        const cut = bytes.subarray(0, Math.floor(end * share));
        const { outcome, stopReason } = toOutcome(decodeStream(scheme, [cut]));
        expect({ name, outcome, stopReason }).toEqual({
          name,
          outcome: "incomplete",
          stopReason: undefined,
        });
      }
    }
  });
}

function joinText(parts: readonly string[]): readonly string[] {
  return parts.filter((part, at) => part !== "text" || parts[at - 1] !== "text");
}

function errorOf({ expected }: Recording): object {
  const { status, retryable, retryAfterMs, type, code, message } = expected.error ?? {};
  return {
    status,
    retryable,
    retryAfterMs: retryAfterMs ?? undefined,
    message: message?.replaceAll(/\s+/g, " ").trim(),
    providerType: type ?? code?.toString(),
  };
}
