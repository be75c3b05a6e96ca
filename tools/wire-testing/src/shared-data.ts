import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect } from "vitest";
import type { Outcome, OutcomeUsage } from "./outcome.js";

/** Where the shared data is, if it is there. */
export const sharedRoot: string =
  process.env["LLM_WORKER_SHARED"] ?? fileURLToPath(new URL("../../../../shared", import.meta.url));

/** Whether the shared recordings and validators are here; without them their tests are skipped. */
export const hasSharedData: boolean = existsSync(`${sharedRoot}/wire/anthropic/index.json`);

/** Appended to titles, so that a skipped suite says why. */
export const skippedWhen: string = hasSharedData ? "" : " (skipped: no shared data)";

/** The folders of recordings. */
export type RecordedWire = "anthropic" | "openai-chat" | "openai-responses" | "gemini" | "ollama";

/** An entry of the recordings' index, as far as the tests use it. */
export interface Recording {
  readonly wire: RecordedWire;
  readonly name: string;
  readonly file: string;
  readonly status: number;
  readonly stream: boolean;
  readonly request: boolean;
  readonly host: string;
  readonly model: string;
  readonly features: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly chunkLengths?: readonly number[];
  readonly bytes: Buffer;
  readonly expected: Expected;
}

/** What a recording has to decode to. Only the outcome is there for every recording. */
export interface Expected {
  readonly outcome: "ok" | "incomplete" | "error" | "error_in_200" | "error_midstream";
  readonly text?: string;
  readonly reasoning?: string;
  readonly refusal?: string;
  readonly toolCalls?: readonly {
    readonly id?: string;
    readonly name: string;
    readonly arguments: unknown;
  }[];
  readonly stop?: { readonly reason: string; readonly raw?: string | null };
  readonly usage?: (OutcomeUsage & { readonly raw: unknown }) | null;
  readonly parts?: readonly { readonly type: string }[];
  readonly error?: ExpectedError;
}

/** How a failure has to be classified; a failure inside a stream has type and message only. */
export interface ExpectedError {
  readonly status: number;
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;
  readonly type?: string | null;
  readonly code?: string | number | null;
  readonly message: string;
}

/** All recordings of a wire; none without the shared data. */
export function recordings(wire: RecordedWire): readonly Recording[] {
  if (!hasSharedData) return [];
  // The shared data keeps to the form that its own description gives.
  const index = readJson(wire, "index.json") as readonly Omit<
    Recording,
    "bytes" | "expected" | "wire"
  >[];
  return index.map((entry) => ({
    ...entry,
    wire,
    bytes: readFileSync(wirePath(wire, entry.file)),
    expected: readJson(wire, `${entry.name}.expected.json`) as Expected,
  }));
}

/** Recordings of successful streams. */
export function streamsOf(list: readonly Recording[]): readonly Recording[] {
  return list.filter(({ stream, status }) => stream && status === 200);
}

/** Recordings of answers that are one document. */
export function documentsOf(list: readonly Recording[]): readonly Recording[] {
  return list.filter(({ stream, status }) => !stream && status === 200);
}

/** Recordings of failed answers. */
export function failuresOf(list: readonly Recording[]): readonly Recording[] {
  return list.filter(({ status }) => status >= 400);
}

/** Recordings with their names in front, as `test.for` prints them. */
export function named(list: readonly Recording[]): readonly (readonly [string, Recording])[] {
  return list.map((recording) => [recording.name, recording]);
}

/** The body of the request that a recording answers. */
export function recordedRequest({ wire, name }: Recording): unknown {
  return readJson(wire, `${name}.request.json`);
}

/**
 * What binds of an expectation, in the form of an {@link Outcome}. Where an answer failed there is no
 * stop, as its last event is the error, and an id that the server did not send may be any.
 */
export function meaningOf(expected: Expected): Partial<Outcome> {
  const outcome = OUTCOME_OF[expected.outcome];
  if (expected.text === undefined) return { outcome };
  const { raw: _asSent, ...usage } = expected.usage ?? UNREPORTED;
  const { text, reasoning = "", refusal = "", toolCalls = [], stop, parts = [] } = expected;
  return {
    outcome,
    text,
    reasoning,
    refusal,
    toolCalls: toolCalls.map(({ id, name, arguments: value }) => ({
      // The matcher stands for any string where an outcome has one.
      id: id ?? (expect.any(String) as string),
      name,
      arguments: value,
    })),
    ...(outcome === "ok" ? { stopReason: stop?.reason } : {}),
    usage,
    parts: parts.map(({ type }) => type),
  };
}

const OUTCOME_OF = {
  ok: "ok",
  incomplete: "incomplete",
  error: "error_midstream",
  error_in_200: "error_midstream",
  error_midstream: "error_midstream",
} as const;

const UNREPORTED = {
  inputTotal: null,
  cacheRead: null,
  cacheWrite: null,
  outputTotal: null,
  reasoning: null,
  raw: null,
} as const;

/** Names of the judge's rule sets. */
export type RequestProfile =
  | "anthropic"
  | "anthropic-beta"
  | "openai-chat"
  | "openai-compat"
  | "openai-responses"
  | "gemini"
  | "ollama";

/** What the judge found. */
export interface Verdict {
  readonly valid: boolean;
  readonly errors: readonly unknown[];
  readonly warnings: readonly unknown[];
}

/** Judges a request body by the rules of a wire; Gemini's model is in the address, not the body. */
export type RequestJudge = (body: unknown, facts?: { readonly model?: string }) => Verdict;

/** The shared judge of request bodies. */
export async function requestJudge(profile: RequestProfile): Promise<RequestJudge> {
  const url = pathToFileURL(`${sharedRoot}/wire-schemas/wire-validate.mjs`).href;
  const judge = (await import(url)) as {
    validateRequest(profile: string, body: unknown, facts?: { readonly model?: string }): Verdict;
  };
  return (body, facts) => judge.validateRequest(profile, body, facts);
}

function wirePath(wire: RecordedWire, file: string): string {
  return `${sharedRoot}/wire/${wire}/${file}`;
}

function readJson(wire: RecordedWire, file: string): unknown {
  return JSON.parse(readFileSync(wirePath(wire, file), "utf8"));
}
