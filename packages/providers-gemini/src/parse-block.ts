import {
  type Event,
  generatedCallId,
  isRecord,
  type JsonValue,
  type ProviderData,
  stringOf,
  type WireRecord,
} from "llm-worker";
import { PartialArguments } from "./partial-arguments.js";
import type { GeminiState, OpenCall, OpenText } from "./state.js";
import { SCHEME_NAME } from "./wire.js";

/** Decodes one part. `false` if it cannot be read, so that something of the answer is missing. */
export function readPart(part: WireRecord, state: GeminiState, out: Event[]): boolean {
  const { functionCall, text, thought } = part;
  if (isRecord(functionCall)) return readCall(functionCall, part, state, out);
  if (typeof text === "string") {
    readText(thought === true ? "thinking" : "text", text, signatureOf(part), state, out);
    return true;
  }
  // Kept whole, a known field with an unknown value would be refused when it is sent back.
  if (isGiven(functionCall) || isGiven(text)) return false;
  const isEmpty = Object.keys(part).every((field) => field === "thought" || !isGiven(part[field]));
  if (!isEmpty) readOpaque(part, state, out);
  return true;
}

/**
 * Unsigned text goes on in the next chunk; a signed part stays what it is, also if it is empty, so
 * that it goes back as it came (G4).
 */
function readText(
  kind: OpenText["kind"],
  text: string,
  signature: string | undefined,
  state: GeminiState,
  out: Event[],
): void {
  if (text === "" && signature === undefined) return;
  if (state.openText?.kind !== kind || signature !== undefined) closeText(state, out);
  let index = state.openText?.index;
  if (index === undefined) {
    index = state.blockCount++;
    out.push({ type: "block_start", index, kind });
    state.openText = { index, kind };
  }
  if (text !== "") out.push({ type: "block_delta", index, text });
  if (signature !== undefined) closeText(state, out, { thoughtSignature: signature });
}

/** Ends the block that text was being added to, if there is one. */
export function closeText(state: GeminiState, out: Event[], data?: JsonValue): void {
  if (state.openText === undefined) return;
  out.push(blockStop(state.openText.index, data, state));
  state.openText = undefined;
}

/**
 * Server tools, images and kinds that are newer than this code: kept whole, for replay. So is a
 * signature that came alone.
 */
function readOpaque(part: WireRecord, state: GeminiState, out: Event[]): void {
  closeText(state, out);
  const index = state.blockCount++;
  const name = Object.keys(part).find((field) => field !== "thoughtSignature");
  out.push({ type: "block_start", index, kind: "opaque", name: name ?? "thoughtSignature" });
  // It was made by JSON.parse, so it is JSON all through.
  out.push(blockStop(index, part as JsonValue, state));
}

/** A call comes whole, or its name first and its arguments in pieces after it (Vertex AI). */
function readCall(call: WireRecord, part: WireRecord, state: GeminiState, out: Event[]): boolean {
  const { args, partialArgs, willContinue } = call;
  if (stringOf(call["name"]) === "") {
    if (state.openCall !== undefined) return continueCall(call, state.openCall, state, out);
    // The part that ends a call which is not open says nothing.
    if (args === undefined) return true;
  }
  closeCall(state, out);
  const index = startCall(call, state, out);
  const data = callData(call, part);
  if (willContinue === true || partialArgs !== undefined) {
    state.openCall = { index, data, arguments: new PartialArguments() };
    return continueCall(call, state.openCall, state, out);
  }
  const text = argumentsText(args);
  if (text === undefined) {
    out.push({ type: "block_abort", index, reason: "the arguments cannot be read" });
    return false;
  }
  if (text !== "") out.push({ type: "block_delta", index, text });
  out.push(blockStop(index, data, state));
  return true;
}

function continueCall(
  { partialArgs, willContinue }: WireRecord,
  openCall: OpenCall,
  state: GeminiState,
  out: Event[],
): boolean {
  if (!openCall.arguments.add(partialArgs)) return false;
  if (willContinue !== true) closeCall(state, out);
  return true;
}

function startCall(call: WireRecord, state: GeminiState, out: Event[]): number {
  closeText(state, out);
  const index = state.blockCount++;
  const name = stringOf(call["name"]);
  // Models before Gemini 3 send no ids (G16).
  const callId = stringOf(call["id"]) || generatedCallId(state.responseId, String(index), name);
  state.hasToolCalls = true;
  out.push({ type: "block_start", index, kind: "tool_use", callId, name });
  return index;
}

/** Ends the call whose arguments came in pieces, if there is one. */
function closeCall(state: GeminiState, out: Event[]): void {
  const { openCall } = state;
  if (openCall === undefined) return;
  state.openCall = undefined;
  const { index, data } = openCall;
  out.push({ type: "block_delta", index, text: openCall.arguments.toJson() });
  out.push(blockStop(index, data, state));
}

/** What has to go back with a call: its signature (G1), and its id if the server gave one (G16). */
function callData({ id }: WireRecord, part: WireRecord): JsonValue | undefined {
  const thoughtSignature = signatureOf(part);
  const hasId = typeof id === "string" && id !== "";
  if (thoughtSignature === undefined && !hasId) return undefined;
  return {
    ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
    ...(hasId ? { id } : {}),
  };
}

/** The text of `args`; `""` for none, `undefined` where it is nested too deep to be written. */
function argumentsText(args: unknown): string | undefined {
  if (args === undefined || args === null) return "";
  try {
    return JSON.stringify(args);
  } catch {
    return undefined;
  }
}

/** On this wire null is as good as nothing. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function signatureOf({ thoughtSignature }: WireRecord): string | undefined {
  return typeof thoughtSignature === "string" && thoughtSignature !== ""
    ? thoughtSignature
    : undefined;
}

function blockStop(index: number, data: JsonValue | undefined, state: GeminiState): Event {
  if (data === undefined) return { type: "block_stop", index };
  const providerData: ProviderData = { scheme: SCHEME_NAME, model: state.model, data };
  return { type: "block_stop", index, providerData };
}
