import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Outcome, OutcomeUsage } from "./outcome.js";

const sharedRoot =
  process.env["LLM_WORKER_SHARED"] ?? fileURLToPath(new URL("../../../../shared", import.meta.url));

/** Whether the shared recordings and validators are here; without them their tests are skipped. */
export const hasSharedData: boolean = existsSync(`${sharedRoot}/wire/anthropic/index.json`);

/** Appended to titles, so that a skipped suite says why. */
export const skippedWhen = hasSharedData ? "" : " (skipped: no shared data)";

/** An entry of the recordings' index, as far as the tests use it. */
export interface Recording {
  readonly name: string;
  readonly file: string;
  readonly status: number;
  readonly stream: boolean;
  readonly request: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunkLengths?: readonly number[];
  readonly bytes: Buffer;
  readonly expected: Expected;
}

/** What a recording has to decode to. */
export interface Expected {
  readonly outcome: Outcome["outcome"];
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: Outcome["toolCalls"];
  readonly stop: { readonly reason: string };
  readonly usage: OutcomeUsage & { readonly raw: unknown };
  readonly parts: readonly { readonly type: string }[];
  readonly error: {
    readonly status: number;
    readonly retryable: boolean;
    readonly retryAfterMs: number | null;
    readonly type: string;
    readonly message: string;
  };
}

/** All recordings of this wire. */
export function recordings(): readonly Recording[] {
  if (!hasSharedData) return [];
  const index = readJson("index.json") as readonly Omit<Recording, "bytes" | "expected">[];
  return index.map((entry) => ({
    ...entry,
    bytes: readFileSync(wirePath(entry.file)),
    expected: readJson(`${entry.name}.expected.json`) as Expected,
  }));
}

/** Recordings with their names in front, as `test.for` prints them. */
export function named(list: readonly Recording[]): readonly (readonly [string, Recording])[] {
  return list.map((recording) => [recording.name, recording]);
}

/** The body of the request that a recording answers. */
export function recordedRequest(recording: Recording): unknown {
  return readJson(`${recording.name}.request.json`);
}

export interface Verdict {
  readonly valid: boolean;
  readonly errors: readonly unknown[];
}

/** The shared judge of request bodies. */
export async function requestJudge(): Promise<(body: unknown) => Verdict> {
  const url = pathToFileURL(`${sharedRoot}/wire-schemas/wire-validate.mjs`).href;
  const judge = (await import(url)) as {
    validateRequest(wire: string, body: unknown): Verdict;
  };
  return (body) => judge.validateRequest("anthropic", body);
}

function wirePath(file: string): string {
  return `${sharedRoot}/wire/anthropic/${file}`;
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(wirePath(file), "utf8"));
}
