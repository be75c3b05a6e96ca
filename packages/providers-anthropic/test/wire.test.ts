import fc from "fast-check";
import type { Event } from "llm-worker";
import { describe, expect, test } from "vitest";
import { cutAt, decode, inChunks, piecesOf, scheme } from "./decode.js";
import { type Outcome, toOutcome } from "./outcome.js";
import { type Expected, hasSharedData, named, recordings, skippedWhen } from "./shared-data.js";

const all = recordings();
const streams = all.filter((recording) => recording.stream && recording.status === 200);
const documents = all.filter((recording) => !recording.stream && recording.status === 200);
const failures = all.filter((recording) => recording.status >= 400);

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
    const events: Event[] = [];
    scheme.parseResponse(bytes.toString(), events);
    expect(toOutcome(events)).toMatchObject(meaningOf(expected));
  });
});

describe.skipIf(!hasSharedData)(`recorded failures are classified${skippedWhen}`, () => {
  test.for(named(failures))("%s", ([, { status, bytes, headers, expected }]) => {
    const error = scheme.parseError(status, bytes.toString(), headers);
    expect(error).toMatchObject({
      status: expected.error.status,
      retryable: expected.error.retryable,
      message: expected.error.message,
      providerType: expected.error.type,
    });
    expect(error.retryAfterMs ?? null).toBe(expected.error.retryAfterMs);
  });
});

/** The fields of an expectation that bind, in the form of an {@link Outcome}. */
function meaningOf(expected: Expected): Partial<Outcome> {
  const { raw: _asSent, ...usage } = expected.usage;
  const { outcome, text, reasoning, toolCalls, stop, parts } = expected;
  return {
    outcome,
    text,
    reasoning,
    toolCalls,
    stopReason: stop.reason,
    usage,
    parts: parts.map(({ type }) => type),
  };
}
