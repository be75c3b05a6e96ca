import { decodePayloads as decodeAll, decodeStream } from "@llm-worker/wire-testing";
import type { Event } from "llm-worker";
import { AnthropicScheme } from "../src/scheme.js";

export const scheme = new AnthropicScheme({ model: "claude-test" });

/** Decodes a stream that arrives in these pieces. */
export function decode(pieces: Iterable<Uint8Array>): readonly Event[] {
  return decodeStream(scheme, pieces);
}

/** Decodes a stream that is written as a list of payloads. */
export function decodePayloads(payloads: readonly unknown[]): readonly Event[] {
  return decodeAll(scheme, payloads);
}
