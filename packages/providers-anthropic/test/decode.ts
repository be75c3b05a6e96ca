import { type Event, SseDecoder } from "llm-worker";
import { AnthropicScheme } from "../src/scheme.js";

export const scheme = new AnthropicScheme({ model: "claude-test" });

/** Decodes a stream that arrives in these pieces. */
export function decode(pieces: Iterable<Uint8Array>): Event[] {
  const state = scheme.createState();
  const frames = new SseDecoder();
  const events: Event[] = [];
  const onFrame = (frame: { data: string }): void => scheme.parseEvent(frame, state, events);
  for (const piece of pieces) frames.write(piece, onFrame);
  frames.end(onFrame);
  scheme.parseEnd(state, events);
  return events;
}

/** Decodes a stream that is written as a list of payloads. */
export function decodePayloads(payloads: readonly unknown[]): Event[] {
  return decode([Buffer.from(payloads.map(sseEvent).join(""))]);
}

export function sseEvent(payload: unknown): string {
  return `data: ${typeof payload === "string" ? payload : JSON.stringify(payload)}\n\n`;
}

/** Pieces of a given length. */
export function* piecesOf(bytes: Uint8Array, length: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

/** Pieces that end at these places. */
export function* cutAt(bytes: Uint8Array, places: readonly number[]): Generator<Uint8Array> {
  let start = 0;
  for (const place of places.toSorted((a, b) => a - b)) {
    yield bytes.subarray(start, place);
    start = place;
  }
  yield bytes.subarray(start);
}

/** Pieces as long as these. */
export function* inChunks(bytes: Uint8Array, lengths: readonly number[]): Generator<Uint8Array> {
  let start = 0;
  for (const length of lengths) {
    yield bytes.subarray(start, start + length);
    start += length;
  }
  yield bytes.subarray(start);
}
