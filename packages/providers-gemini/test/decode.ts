import { decodePayloads as decodeAll, decodeStream } from "@llm-worker/wire-testing";
import type { Event } from "llm-worker";
import { GeminiScheme } from "../src/scheme.js";

export const scheme = new GeminiScheme({ model: "gemini-3-test" });

/** Decodes a stream that arrives in these pieces. */
export function decode(pieces: Iterable<Uint8Array>): readonly Event[] {
  return decodeStream(scheme, pieces);
}

/** Decodes a stream that is written as a list of payloads. */
export function decodePayloads(payloads: readonly unknown[]): readonly Event[] {
  return decodeAll(scheme, payloads);
}

/** A chunk whose candidate has these parts. */
export function chunk(parts: readonly unknown[], fields: object = {}): unknown {
  return { candidates: [{ content: { role: "model", parts }, ...fields }] };
}

/** The last chunk: a finish reason, and no content. */
export function end(finishReason = "STOP", fields: object = {}): unknown {
  return { candidates: [{ finishReason, ...fields }] };
}
