import { setTimeout as delay } from "node:timers/promises";
import { defineTool, type Tool } from "llm-worker";

const STREAM_PIECE_CHARACTERS = 1000;
const SLOW_MS = 40;

const log = Array.from(
  { length: 3000 },
  (_, i) => `2026-01-01 line ${i + 1} served request ${i * 7} in ${i % 97} ms`,
).join("\n");

const catalog = JSON.stringify(
  Array.from({ length: 800 }, (_, i) => ({ id: i, sku: `sku-${i}`, price: i * 3 })),
);

const files = new Map<string, string>([
  ["notes.txt", "The deadline is Friday.\nThe budget is small.\n"],
  ["east.txt", "Sales in the east: 1200 crates of apples.\n"],
  ["west.txt", "Sales in the west: 900 crates of apples and 4 of pears.\n"],
  ["server.log", log],
  ["catalog.json", catalog],
]);

/** A question to the scripted model, and what an answer that has read the file has in it. */
export interface Question {
  readonly text: string;
  readonly answerHas: string;
  /** Nobody would store what it leads to. */
  readonly isSmall?: true;
}

/** Each wants another way through the worker. */
export const questions: readonly Question[] = [
  {
    text: "What does notes.txt say about the deadline?",
    answerHas: "The deadline is Friday.",
    isSmall: true,
  },
  { text: "What is in line 2000 of server.log?", answerHas: "line 2000 served request 13993" },
  { text: "Which entry of catalog.json has sku-777?", answerHas: '"price":2331' },
  { text: "How many lines has stream.log?", answerHas: "3000 lines" },
  { text: "What does slow.txt say about the answer?", answerHas: "the answer is 7", isSmall: true },
  { text: "What does missing.txt say?", answerHas: "there is no file missing.txt", isSmall: true },
  {
    text: 'What do east.txt and west.txt say about "apples"?',
    answerHas: "900 crates of apples",
    isSmall: true,
  },
];

/** Reads the files of the soak: small, large, JSON, streamed, slow, and one that is not there. */
export function createReadFileTool(): Tool {
  return defineTool({
    name: "read_file",
    description: "Reads a file.",
    input: {
      type: "object",
      properties: { path: { type: "string", description: "Its path." } },
      required: ["path"],
    },
    execute: (input, { signal }) => readFile(pathOf(input), signal),
  });
}

/** What the tool gives: a text, or one that comes in pieces. */
export async function readFile(
  path: string,
  signal?: AbortSignal,
): Promise<string | AsyncIterable<string>> {
  if (path === "stream.log") return pieces(log);
  if (path === "slow.txt") {
    await delay(SLOW_MS, undefined, signal === undefined ? {} : { signal });
    return "Slow but sure: the answer is 7.";
  }
  const text = files.get(path);
  if (text === undefined) throw new Error(`there is no file ${path}`);
  return text;
}

async function* pieces(text: string): AsyncGenerator<string, void, undefined> {
  for (let at = 0; at < text.length; at += STREAM_PIECE_CHARACTERS) {
    await Promise.resolve();
    yield text.slice(at, at + STREAM_PIECE_CHARACTERS);
  }
}

function pathOf(input: unknown): string {
  // The tool's schema was checked before it is called.
  return (input as { readonly path: string }).path;
}
