import { cutText } from "../../pieces.js";
import type { AutomaticUsage } from "../../prompt-cache.js";
import type { Random } from "../../random.js";
import { type Answer, type AnswerPart, parseInput, partText } from "../answer.js";
import { LOWER_CHARACTERS, makeId } from "../ids.js";
import { signCall, signText } from "./signature.js";

/** An answer with all that goes on the wire. */
export interface Generation extends Answer {
  readonly responseId: string;
  readonly model: string;
  /** Whether thoughts are shown, beside being counted. */
  readonly showsThoughts: boolean;
  readonly usage: AutomaticUsage;
}

type Fields = Readonly<Record<string, unknown>>;

/** A part of the answer as it is sent, if it is, and how many bytes of the answer it stands for. */
interface WrittenPart {
  readonly fields: Fields | undefined;
  readonly isThought: boolean;
  readonly byteCount: number;
}

const FINISH_REASONS = {
  done: "STOP",
  calls: "STOP",
  stop_sequence: "STOP",
  max_tokens: "MAX_TOKENS",
} as const;

/** The answer as the chunks of a stream. Calls come whole; the last chunk has the reason and no text. */
export function streamChunks(generation: Generation, random: Random): Fields[] {
  const written = generation.parts.flatMap((part, index) =>
    cutPart(part, random).map((piece) => writePart(piece, generation, index, random)),
  );
  const sent: WrittenPart[] = [];
  const chunks: Fields[] = [];
  for (const part of written) {
    sent.push(part);
    if (part.fields === undefined) continue;
    chunks.push(writeChunk(generation, [part.fields], countUsage(generation, sent)));
  }
  const isText = generation.parts.at(-1)?.type === "text";
  const last = { text: "", ...(isText ? { thoughtSignature: signText() } : {}) };
  const usage = countUsage(generation, sent);
  return [...chunks, writeChunk(generation, [last], usage, FINISH_REASONS[generation.end])];
}

/** The answer as one JSON document. */
export function wholeGeneration(generation: Generation, random: Random): Fields {
  const written = generation.parts.map((part, index) => writePart(part, generation, index, random));
  const parts = written.flatMap(({ fields }, index) => {
    if (fields === undefined) return [];
    const isLast = index === written.length - 1 && generation.parts[index]?.type === "text";
    return [isLast ? { ...fields, thoughtSignature: signText() } : fields];
  });
  const usage = countUsage(generation, written);
  return writeChunk(generation, parts, usage, FINISH_REASONS[generation.end]);
}

/** Server-sent events as the provider frames them: `data:`, an empty line; CRLF. */
export function encodeChunks(chunks: readonly Fields[]): string {
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join("");
}

/** The same chunks without `alt=sse`: one list that grows. */
export function encodeList(chunks: readonly Fields[]): string {
  return `[${chunks.map((chunk) => JSON.stringify(chunk)).join("\n,\r\n")}\n]\n`;
}

function cutPart(part: AnswerPart, random: Random): AnswerPart[] {
  if (part.type === "call") return [part];
  return cutText(part.text, random).map((text) => ({ ...part, text }));
}

function writePart(
  part: AnswerPart,
  generation: Generation,
  index: number,
  random: Random,
): WrittenPart {
  const isThought = part.type === "thinking";
  const counts = { isThought, byteCount: Buffer.byteLength(partText(part)) };
  if (part.type === "thinking") {
    const fields = generation.showsThoughts ? { text: part.text, thought: true } : undefined;
    return { fields, ...counts };
  }
  if (part.type === "text") return { fields: { text: part.text }, ...counts };
  const args = parseInput(part.json);
  // A call that the token limit has cut is not sent at all.
  if (args === undefined) return { fields: undefined, ...counts };
  const { name } = part;
  const functionCall = { name, args, id: makeId("", random, 8, LOWER_CHARACTERS) };
  const isFirst = generation.parts.findIndex(({ type }) => type === "call") === index;
  const signature = isFirst ? { thoughtSignature: signCall({ name, args }) } : {};
  return { fields: { functionCall, ...signature }, ...counts };
}

function writeChunk(
  { responseId, model }: Generation,
  parts: readonly Fields[],
  usageMetadata: Fields,
  finishReason?: string,
): Fields {
  const candidate = {
    content: { parts, role: "model" },
    ...(finishReason === undefined ? {} : { finishReason }),
    index: 0,
  };
  return { candidates: [candidate], usageMetadata, modelVersion: model, responseId };
}

/** Each chunk tells all that was counted up to it. */
function countUsage({ usage }: Generation, sent: readonly WrittenPart[]): Fields {
  const { totalTokens: promptTokenCount, cachedTokens } = usage;
  const thoughtsTokenCount = countTokens(sent.filter((part) => part.isThought));
  const candidatesTokenCount = countTokens(sent.filter((part) => !part.isThought));
  const ofText = (tokenCount: number): Fields[] => [{ modality: "TEXT", tokenCount }];
  return {
    promptTokenCount,
    ...(candidatesTokenCount > 0 ? { candidatesTokenCount } : {}),
    totalTokenCount: promptTokenCount + candidatesTokenCount + thoughtsTokenCount,
    promptTokensDetails: ofText(promptTokenCount),
    ...(cachedTokens > 0
      ? { cachedContentTokenCount: cachedTokens, cacheTokensDetails: ofText(cachedTokens) }
      : {}),
    ...(thoughtsTokenCount > 0 ? { thoughtsTokenCount } : {}),
  };
}

function countTokens(parts: readonly WrittenPart[]): number {
  return Math.ceil(parts.reduce((bytes, part) => bytes + part.byteCount, 0) / 4);
}
