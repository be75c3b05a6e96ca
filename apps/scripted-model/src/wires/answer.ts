import { isObject } from "../json.js";
import type { Action, ModelView } from "../model-view.js";
import { nextAction } from "../policy.js";
import { estimateTokens } from "../prompt-cache.js";
import type { Random } from "../random.js";

/** A part of an answer. `json` is the text of a call's input, as the model writes it. */
export type AnswerPart =
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "call"; readonly name: string; readonly json: string };

/** All of an answer but its ids, signatures and prompt counts. */
export interface Answer {
  readonly parts: readonly AnswerPart[];
  readonly end: "done" | "calls" | "max_tokens" | "stop_sequence";
  /** The one that ended it. */
  readonly stopSequence: string | null;
}

/** What a request says about the form of the answer. */
export interface AnswerSettings {
  readonly isThinking: boolean;
  /** None for no limit. */
  readonly maxTokens?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
}

/** Says what the model does next, within the request's token limit and stop sequences. */
export function planAnswer(view: ModelView, settings: AnswerSettings, random: Random): Answer {
  const { isThinking, maxTokens = Infinity, stopSequences = [] } = settings;
  const action = nextAction(view);
  const parts: AnswerPart[] = isThinking ? [{ type: "thinking", text: action.because }] : [];
  if (action.type === "answer") {
    const { text, stopSequence } = stopAt(action.text, stopSequences);
    if (text !== "") parts.push({ type: "text", text });
    const end = stopSequence === null ? "done" : "stop_sequence";
    return limitTokens({ parts, end, stopSequence }, maxTokens);
  }
  const isInToolLoop = view.history.at(-1)?.type === "call";
  if (!isThinking && !isInToolLoop) parts.push({ type: "text", text: action.because });
  parts.push(...writeCalls(action, random));
  return limitTokens({ parts, end: "calls", stopSequence: null }, maxTokens);
}

/** The text of one part, by which it is counted and cut. */
export function partText(part: AnswerPart): string {
  return part.type === "call" ? part.json : part.text;
}

/** Tokens of an answer, and how many of them are thinking. At least one in all. */
export function countTokens(answer: Answer): { total: number; thinking: number } {
  let total = 0;
  let thinking = 0;
  for (const part of answer.parts) {
    const tokens = estimateTokens(partText(part));
    total += tokens;
    if (part.type === "thinking") thinking += tokens;
  }
  return { total: Math.max(1, total), thinking };
}

/** The input of a call; nothing if the token limit has cut its text. */
export function parseInput(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const input: unknown = JSON.parse(json);
    return isObject(input) ? input : undefined;
  } catch {
    return undefined;
  }
}

function writeCalls(action: Extract<Action, { type: "call" }>, random: Random): AnswerPart[] {
  return action.calls.map(({ name, input }) => ({
    type: "call",
    name,
    json: writeInput(input, random),
  }));
}

/** JSON with a space behind its colons; in every second answer what is not ASCII is escaped. */
function writeInput(input: Readonly<Record<string, unknown>>, random: Random): string {
  const members = Object.entries(input).map(
    ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  const json = `{${members.join(", ")}}`;
  return random() < 0.5 ? json : json.replaceAll(/[^\0-\x7f]/g, escapeUnit);
}

function escapeUnit(unit: string): string {
  return String.raw`\u` + unit.charCodeAt(0).toString(16).padStart(4, "0");
}

function stopAt(
  text: string,
  sequences: readonly string[],
): { text: string; stopSequence: string | null } {
  const found = sequences
    .filter((sequence) => sequence !== "")
    .map((sequence) => ({ sequence, at: text.indexOf(sequence) }))
    .filter(({ at }) => at !== -1)
    .toSorted((a, b) => a.at - b.at)[0];
  return found === undefined
    ? { text, stopSequence: null }
    : { text: text.slice(0, found.at), stopSequence: found.sequence };
}

/** Cuts an answer where its tokens are used up, inside a part if need be. */
function limitTokens(answer: Answer, maxTokens: number): Answer {
  let left = maxTokens;
  const parts: AnswerPart[] = [];
  for (const part of answer.parts) {
    const tokens = estimateTokens(partText(part));
    if (tokens > left) {
      if (left > 0) parts.push(shorten(part, left));
      return { parts, end: "max_tokens", stopSequence: null };
    }
    left -= tokens;
    parts.push(part);
  }
  return answer;
}

function shorten(part: AnswerPart, tokens: number): AnswerPart {
  let bytes = tokens * 4;
  let kept = "";
  for (const character of partText(part)) {
    bytes -= Buffer.byteLength(character);
    if (bytes < 0) break;
    kept += character;
  }
  return part.type === "call" ? { ...part, json: kept } : { ...part, text: kept };
}
