import {
  type Event,
  type Frame,
  NdjsonDecoder,
  parseJson,
  RepeatingJson,
  type Scheme,
  SseDecoder,
} from "llm-worker";
import { vi } from "vitest";

/** Decodes a stream that arrives in these pieces, with nothing between the scheme and its events. */
export function decodeStream<State>(
  scheme: Scheme<State>,
  pieces: Iterable<Uint8Array>,
): readonly Event[] {
  const state = scheme.createState();
  const frames = scheme.framing === "sse" ? new SseDecoder() : new NdjsonDecoder();
  const events: Event[] = [];
  const onFrame = (frame: Frame): void => scheme.parseEvent(frame, state, events);
  for (const piece of pieces) frames.write(piece, onFrame);
  frames.end(onFrame);
  scheme.parseEnd(state, events);
  return events;
}

/** The same with every frame parsed in full, also those that repeat the one before. */
export function decodeParsingAll<State>(
  scheme: Scheme<State>,
  pieces: Iterable<Uint8Array>,
): readonly Event[] {
  const parse = vi.spyOn(RepeatingJson.prototype, "parse").mockImplementation(parseJson);
  try {
    return decodeStream(scheme, pieces);
  } finally {
    parse.mockRestore();
  }
}

/** Decodes a stream that is written as a list of payloads; strings stand for themselves. */
export function decodePayloads<State>(
  scheme: Scheme<State>,
  payloads: readonly unknown[],
): readonly Event[] {
  const toFrame = scheme.framing === "sse" ? sseEvent : jsonLine;
  return decodeStream(scheme, [Buffer.from(payloads.map(toFrame).join(""))]);
}

/** Decodes an answer that is one document. */
export function decodeDocument(scheme: Scheme, body: string): readonly Event[] {
  const events: Event[] = [];
  scheme.parseResponse(body, events);
  return events;
}

/** A payload as a server-sent event without a name. */
export function sseEvent(payload: unknown): string {
  return `data: ${textOf(payload)}\n\n`;
}

/** A payload as a line of NDJSON. */
export function jsonLine(payload: unknown): string {
  return `${textOf(payload)}\n`;
}

function textOf(payload: unknown): string {
  return typeof payload === "string" ? payload : JSON.stringify(payload);
}
