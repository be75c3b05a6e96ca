import {
  type Json,
  opaque as opaqueOf,
  thought as thoughtOf,
  user,
} from "@llm-worker/wire-testing";
import type { Item, LlmRequest } from "llm-worker";
import type { GeminiSchemeOptions } from "../src/build-request.js";
import { GeminiScheme } from "../src/scheme.js";

export const MODEL = "gemini-3-test";
export const OLD_MODEL = "gemini-2.5-test";

/** A call that this model made. */
export function ownCall(callId: string, data: Json, fields: Partial<Item> = {}): Item {
  return {
    type: "tool_call",
    callId,
    name: "add",
    arguments: "{}",
    // Test data is JSON.
    providerData: { scheme: "gemini", model: MODEL, data: data as never },
    ...fields,
  } as Item;
}

/** A text that this model signed. */
export function signedText(text: string, thoughtSignature: string, model = MODEL): Item {
  return {
    type: "message",
    role: "assistant",
    content: [{ type: "text", text }],
    providerData: { scheme: "gemini", model, data: { thoughtSignature } },
  };
}

export const thought = (data: Json, model = MODEL, scheme = "gemini"): Item =>
  thoughtOf(scheme, model, data);
export const opaque = (data: Json, model = MODEL, scheme = "gemini"): Item =>
  opaqueOf(scheme, model, data);

export function bodyText(
  request: Partial<LlmRequest>,
  options: Partial<GeminiSchemeOptions> = {},
): string {
  const scheme = new GeminiScheme({ model: MODEL, ...options });
  return String(scheme.buildRequest({ tools: [], items: [user("hi")], ...request }).body);
}

export function bodyOf(
  request: Partial<LlmRequest>,
  options: Partial<GeminiSchemeOptions> = {},
): Json {
  return JSON.parse(bodyText(request, options)) as Json;
}

/** The contents, each `[role, ...parts]`. */
export function contentsOf(items: readonly Item[], model: string = MODEL): readonly unknown[][] {
  return (bodyOf({ items }, { model })["contents"] as Json[]).map(({ role, parts }) => [
    role,
    ...(parts as Json[]),
  ]);
}
