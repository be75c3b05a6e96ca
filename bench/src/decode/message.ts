import { createHash } from "node:crypto";

/** An answer of a model, in the pieces in which it is streamed. */
export interface Message {
  readonly thinking: readonly string[];
  readonly text: readonly string[];
  readonly calls: readonly MessageCall[];
}

export interface MessageCall {
  readonly id: string;
  readonly name: string;
  /** JSON text, cut anywhere. */
  readonly argumentPieces: readonly string[];
}

/** How much of each there is in a {@link Message}. */
export interface MessageSize {
  readonly thinkingDeltas: number;
  readonly textDeltas: number;
  readonly calls: number;
  readonly deltasPerCall: number;
}

/** What a client has made of an answer. */
export interface Answer {
  readonly thinking: string;
  readonly text: string;
  /** Arguments as values, in the order of the calls. */
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
}

/** Characters of one delta of arguments: what servers send at a time. */
const ARGUMENT_PIECE_CHARS = 13;

const WORDS = [
  " the",
  " answer",
  " of",
  " a",
  " tool",
  "ing",
  " be",
  "fore",
  ",",
  ".\n\n",
  ' "quoted"',
  " C:\\temp",
  "\n\t- ",
  " naïve",
  " 東京の",
  "天気は",
  " 👩‍💻",
  " 🚀",
  "`const x = 1;`",
  " **bold**",
] as const;

/** Makes the same message for the same size, with quotes, escapes, CJK and emoji in all its texts. */
export function createMessage(size: MessageSize): Message {
  const random = randomIntegers(1);
  const words = (count: number): string[] =>
    Array.from({ length: count }, () => WORDS[random(WORDS.length)] ?? "");
  return {
    thinking: words(size.thinkingDeltas),
    text: words(size.textDeltas),
    calls: Array.from({ length: size.calls }, (_, number) => ({
      id: `call_${String(number).padStart(20, "0")}`,
      name: "write_file",
      argumentPieces: argumentPieces(number, size.deltasPerCall, words),
    })),
  };
}

/** Exactly `count` pieces of the JSON text of an object. */
function argumentPieces(
  number: number,
  count: number,
  words: (count: number) => string[],
): string[] {
  const path = `src/file-${number}.ts`;
  const contentChars = count * ARGUMENT_PIECE_CHARS - `{"path":"${path}","content":""}`.length;
  let content = "";
  let jsonChars = 0;
  while (jsonChars < contentChars) {
    const [word = ""] = words(1);
    const wordChars = JSON.stringify(word).length - 2;
    const fits = jsonChars + wordChars <= contentChars;
    content += fits ? word : ".";
    jsonChars += fits ? wordChars : 1;
  }
  return cut(JSON.stringify({ path, content }), count);
}

/** Cuts between characters, so that each piece is well-formed. */
function cut(text: string, count: number): string[] {
  const pieces: string[] = [];
  let start = 0;
  for (let piece = 1; piece < count; piece++) {
    let end = Math.max(start, piece * ARGUMENT_PIECE_CHARS);
    if (/[\uDC00-\uDFFF]/.test(text.charAt(end))) end += 1;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return [...pieces, text.slice(start)];
}

/** The answer that a client should come to. */
export function answerOf(message: Message): Answer {
  return {
    thinking: message.thinking.join(""),
    text: message.text.join(""),
    calls: message.calls.map(({ name, argumentPieces: pieces }) => ({
      name,
      input: JSON.parse(pieces.join("")) as unknown,
    })),
  };
}

/** The same for equal answers, across processes. */
export function hashAnswer({ thinking, text, calls }: Answer): string {
  const canonical = JSON.stringify([thinking, text, calls.map(({ name, input }) => [name, input])]);
  return createHash("sha256").update(canonical).digest("hex");
}

/** Characters of all that a client has to keep. */
export function characterCount({ thinking, text, calls }: Message): number {
  const all = [thinking, text, ...calls.map(({ argumentPieces: pieces }) => pieces)];
  return all.reduce((sum, pieces) => sum + pieces.reduce((n, piece) => n + piece.length, 0), 0);
}

/** A reproducible source of integers from 0 up to `limit`. */
export function randomIntegers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
