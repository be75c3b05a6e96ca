import {
  cutAt,
  decodeDocument,
  documentsOf,
  type Expected,
  failuresOf,
  FUZZ_RUNS,
  fuzzStreams,
  hasSharedData,
  inChunks,
  meaningOf,
  named,
  type Outcome,
  piecesOf,
  recordings,
  skippedWhen,
  streamsOf,
  toOutcome,
} from "@llm-worker/wire-testing";
import fc from "fast-check";
import type { Event } from "llm-worker";
import { describe, expect, test } from "vitest";
import { decode, scheme } from "./decode.js";

const all = recordings("gemini");
const streams = streamsOf(all);
const documents = documentsOf(all);
const failures = failuresOf(all);

describe.skipIf(!hasSharedData)(`recorded streams decode to what was meant${skippedWhen}`, () => {
  test.for(named(streams))("%s", ([, recording]) => {
    const { bytes, chunkLengths = [], expected } = recording;
    const whole = decode([bytes]);
    expect(outcomeOf(whole)).toMatchObject(wanted(expected));
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

  test("G1, G2, G3: the signatures of calls are kept where they came, and nowhere else", () => {
    for (const { bytes, expected } of [...streams, ...documents]) {
      const calls = (expected.toolCalls ?? []) as readonly { readonly signature?: string }[];
      expect(callSignatures(decode([bytes]))).toEqual(calls.map(({ signature }) => signature));
    }
  });

  test("F6: a stream that is cut before its finish reason is never a finished turn", () => {
    for (const { bytes } of streams) {
      const end = bytes.indexOf('"finishReason"');
      if (end < 0) continue;
      for (const share of [0.1, 0.5, 0.9, 1]) {
        const outcome = toOutcome(decode([bytes.subarray(0, Math.floor(end * share))]));
        expect(outcome).toMatchObject({ outcome: "incomplete", stopReason: undefined });
      }
    }
  });
});

describe.skipIf(!hasSharedData)(`recorded documents decode like streams${skippedWhen}`, () => {
  test.for(named(documents))("%s", ([, { bytes, expected }]) => {
    const events = decodeDocument(scheme, bytes.toString());
    expect(outcomeOf(events)).toMatchObject(wanted(expected));
  });
});

describe.skipIf(!hasSharedData)(`recorded failures are classified${skippedWhen}`, () => {
  test.for(named(failures))("%s", ([, { status, bytes, headers, expected }]) => {
    const error = scheme.parseError(status, bytes.toString(), headers);
    expect(error).toMatchObject({
      status: expected.error?.status,
      retryable: expected.error?.retryable,
      message: expected.error?.message.replaceAll(/\s+/g, " ").trim(),
      providerType: expected.error?.type,
    });
    expect(error.retryAfterMs ?? null).toBe(expected.error?.retryAfterMs);
  });
});

describe.skipIf(!hasSharedData)(`broken streams${skippedWhen}`, () => {
  test("never throw, and end each block and themselves", () => {
    // Frames are told apart by their blank lines, which most of these recordings have as CR LF.
    const withLineFeeds = streams.map((recording) => ({
      ...recording,
      bytes: Buffer.from(recording.bytes.toString().replaceAll("\r\n", "\n")),
    }));
    expect(fuzzStreams(scheme, withLineFeeds)).toBe(FUZZ_RUNS);
  });
});

/** A signed text is a block of its own (G4); how text is cut into parts does not bind. */
function outcomeOf(events: readonly Event[]): Outcome {
  const outcome = toOutcome(events);
  return { ...outcome, parts: joined(outcome.parts) };
}

function wanted(expected: Expected): Partial<Outcome> {
  const meaning = meaningOf(expected);
  return meaning.parts === undefined ? meaning : { ...meaning, parts: joined(meaning.parts) };
}

function joined(parts: readonly string[]): readonly string[] {
  return parts.filter((part, at) => part !== "text" || parts[at - 1] !== "text");
}

function callSignatures(events: readonly Event[]): readonly unknown[] {
  const calls = events.flatMap((event) =>
    event.type === "block_start" && event.kind === "tool_use" ? [event.index] : [],
  );
  const data = new Map(
    events.flatMap((event) =>
      event.type === "block_stop" ? [[event.index, event.providerData?.data]] : [],
    ),
  );
  return calls.map(
    (index) => (data.get(index) as Record<string, unknown> | undefined)?.["thoughtSignature"],
  );
}
