import { cutText } from "../../pieces.js";
import type { Random } from "../../random.js";
import { type Answer, type AnswerPart, countTokens, parseInput } from "../answer.js";
import { ANSWER_TIME_SECONDS, LOWER_CHARACTERS, makeId } from "../ids.js";

/** An answer with all that goes on the wire. */
export interface ChatAnswer extends Answer {
  readonly model: string;
  readonly promptTokens: number;
}

type Fields = Readonly<Record<string, unknown>>;

const DONE_REASONS = {
  done: "stop",
  calls: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
} as const;

/** The answer as the lines of a stream. Calls come whole; the last line has the counts. */
export function streamLines(answer: ChatAnswer, random: Random): Fields[] {
  const messages = [
    ...answer.parts
      .filter((part) => part.type !== "call")
      .flatMap((part) => cutText(part.text, random).map((text) => messageOf({ ...part, text }))),
    ...writeCalls(answer.parts, random).map((call) => ({ content: "", tool_calls: [call] })),
  ];
  const last = { ...line(answer, { content: "" }, true), ...finalFields(answer) };
  return [...messages.map((message) => line(answer, message, false)), last];
}

/** The answer as one JSON document. */
export function wholeAnswer(answer: ChatAnswer, random: Random): Fields {
  const textOf = (type: AnswerPart["type"]): string =>
    answer.parts
      .map((part) => (part.type === type && part.type !== "call" ? part.text : ""))
      .join("");
  const thinking = textOf("thinking");
  const calls = writeCalls(answer.parts, random);
  const message = {
    content: textOf("text"),
    ...(thinking === "" ? {} : { thinking }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  return { ...line(answer, message, true), ...finalFields(answer) };
}

/** The answer to a request without messages, which only loads the model. */
export function loadedAnswer(model: string): Fields {
  return { ...line({ model }, { content: "" }, true), done_reason: "load" };
}

/** One JSON document per line. */
export function encodeLines(lines: readonly Fields[]): string {
  return lines.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

function messageOf(part: Exclude<AnswerPart, { type: "call" }>): Fields {
  return part.type === "thinking" ? { content: "", thinking: part.text } : { content: part.text };
}

/** Calls that the token limit has cut are not sent at all. */
function writeCalls(parts: readonly AnswerPart[], random: Random): Fields[] {
  return parts
    .filter((part) => part.type === "call")
    .flatMap(({ name, json }, index) => {
      const input = parseInput(json);
      if (input === undefined) return [];
      const id = makeId("call_", random, 8, LOWER_CHARACTERS);
      return [{ id, function: { index, name, arguments: input } }];
    });
}

function line({ model }: Pick<ChatAnswer, "model">, message: Fields, done: boolean): Fields {
  const createdAt = new Date(ANSWER_TIME_SECONDS * 1000).toISOString();
  return { model, created_at: createdAt, message: { role: "assistant", ...message }, done };
}

const NANOSECONDS_PER_TOKEN = 1_000_000;
const LOAD_NANOSECONDS = 50_000_000;

/** Durations are made up from the counts. */
function finalFields(answer: ChatAnswer): Fields {
  const { promptTokens } = answer;
  const { total: outputTokens } = countTokens(answer);
  const promptDuration = promptTokens * NANOSECONDS_PER_TOKEN;
  const evalDuration = outputTokens * NANOSECONDS_PER_TOKEN;
  return {
    done_reason: DONE_REASONS[answer.end],
    total_duration: LOAD_NANOSECONDS + promptDuration + evalDuration,
    load_duration: LOAD_NANOSECONDS,
    prompt_eval_count: promptTokens,
    prompt_eval_duration: promptDuration,
    eval_count: outputTokens,
    eval_duration: evalDuration,
  };
}
