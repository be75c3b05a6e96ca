import { createHash } from "node:crypto";
import type { Action } from "../../model-view.js";
import { estimateTokens } from "../../prompt-cache.js";
import type { Random } from "../../random.js";
import { blocksOf, type MessagesRequest } from "./request-types.js";
import { signThinking } from "./signature.js";

/** A content block of the answer. `json` is the text of a call's input, as it is streamed. */
export type AnswerBlock =
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "tool_use";
      readonly id: string;
      readonly name: string;
      readonly json: string;
    };

/** All of an answer but its ids and counts. */
export interface AnswerContent {
  readonly blocks: readonly AnswerBlock[];
  readonly stopReason: "end_turn" | "tool_use" | "max_tokens" | "stop_sequence";
  readonly stopSequence: string | null;
}

/** Says an action in content blocks, within the request's `max_tokens` and stop sequences. */
export function renderAction(
  action: Action,
  request: MessagesRequest,
  random: Random,
): AnswerContent {
  const isThinking = request.thinking !== undefined && request.thinking.type !== "disabled";
  const blocks: AnswerBlock[] = [];
  if (isThinking) {
    const thinking = request.thinking?.display === "omitted" ? "" : action.because;
    blocks.push({ type: "thinking", thinking, signature: signThinking(thinking) });
  }
  if (action.type === "answer") {
    const { text, stopSequence } = stopAt(action.text, request.stop_sequences ?? []);
    if (text !== "") blocks.push({ type: "text", text });
    const stopReason = stopSequence === null ? "end_turn" : "stop_sequence";
    return limitTokens({ blocks, stopReason, stopSequence }, request.max_tokens);
  }
  if (!isThinking && !isInToolLoop(request)) blocks.push({ type: "text", text: action.because });
  for (const { name, input } of action.calls) {
    blocks.push({
      type: "tool_use",
      id: makeId("toolu_01", random),
      name,
      json: writeInput(input, random),
    });
  }
  return limitTokens({ blocks, stopReason: "tool_use", stopSequence: null }, request.max_tokens);
}

const ID_CHARACTERS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789";
const ID_LENGTH = 22;

/** An id as the provider makes them: a prefix and 22 letters and digits. */
export function makeId(prefix: string, random: Random): string {
  let id = prefix;
  for (let count = 0; count < ID_LENGTH; count++) {
    id += ID_CHARACTERS.charAt(Math.floor(random() * ID_CHARACTERS.length));
  }
  return id;
}

/** A number that the same request and seed always give: what makes answers deterministic. */
export function fingerprint(seed: number, body: Uint8Array): string {
  return createHash("sha256").update(`${seed}\n`).update(body).digest("hex");
}

/** The text of one block, by which it is counted and cut. */
export function blockText(block: AnswerBlock): string {
  switch (block.type) {
    case "thinking":
      return block.thinking;
    case "text":
      return block.text;
    case "tool_use":
      return block.json;
  }
}

function isInToolLoop(request: MessagesRequest): boolean {
  const last = blocksOf(request.messages.at(-1)?.content ?? []);
  return last.some((block) => block.type === "tool_result");
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
    .map((sequence) => ({ sequence, at: text.indexOf(sequence) }))
    .filter(({ at }) => at !== -1)
    .toSorted((a, b) => a.at - b.at)[0];
  return found === undefined
    ? { text, stopSequence: null }
    : { text: text.slice(0, found.at), stopSequence: found.sequence };
}

/** Cuts an answer where its tokens are used up, inside a block if need be. */
function limitTokens(content: AnswerContent, maxTokens: number): AnswerContent {
  let left = maxTokens;
  const blocks: AnswerBlock[] = [];
  for (const block of content.blocks) {
    const tokens = estimateTokens(blockText(block));
    if (tokens > left) {
      if (left > 0) blocks.push(shorten(block, left));
      return { blocks, stopReason: "max_tokens", stopSequence: null };
    }
    left -= tokens;
    blocks.push(block);
  }
  return content;
}

function shorten(block: AnswerBlock, tokens: number): AnswerBlock {
  let bytes = tokens * 4;
  let kept = "";
  for (const character of blockText(block)) {
    bytes -= Buffer.byteLength(character);
    if (bytes < 0) break;
    kept += character;
  }
  switch (block.type) {
    case "thinking":
      return { ...block, thinking: kept, signature: signThinking(kept) };
    case "text":
      return { ...block, text: kept };
    case "tool_use":
      return { ...block, json: kept };
  }
}
