import { existsSync, readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { Event } from "llm-worker";
import { sharedRoot } from "./shared-data.js";

/** A recorded session of an agent: what it was asked, what its models answered, what its tools gave. */
export interface RecordedSession {
  readonly name: string;
  readonly prompts: readonly string[];
  /** The answers, in order. */
  readonly answers: readonly (readonly Event[])[];
  /** The outputs of its tools, by call id. */
  readonly outputs: ReadonlyMap<string, { readonly output: string; readonly isError: boolean }>;
}

/** An item of a session's file, as far as it is used here. */
interface Recorded {
  readonly type: string;
  readonly turn: number;
  readonly role?: string;
  readonly text?: string;
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: unknown;
  readonly output?: string;
  readonly is_error?: boolean;
}

const root = `${sharedRoot}/corpus/traces`;

/** All recorded sessions; none without the shared data. */
export function recordedSessions(): readonly RecordedSession[] {
  return existsSync(root) ? readdirSync(root).sort().map(readSession) : [];
}

function readSession(name: string): RecordedSession {
  const bytes = readFileSync(`${root}/${name}`);
  const text = (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
  const lines = text.split("\n").filter((line) => line !== "");
  // The shared data keeps to the form that its own description gives.
  const recorded = lines.slice(1).map((line) => JSON.parse(line) as Recorded);
  const answers: Recorded[][] = [];
  const prompts: string[] = [];
  const outputs = new Map<string, { output: string; isError: boolean }>();
  for (const one of recorded) {
    const { type, turn, role, text: said = "", call_id: callId = "", output = "" } = one;
    if (type === "tool_result") outputs.set(callId, { output, isError: one.is_error === true });
    else if (type !== "message" || role === "assistant") (answers[turn] ??= []).push(one);
    // What a user says while tools run is left out: it would need a hook.
    else if (role === "user" && !callsTools(answers[turn - 1])) prompts[turn] ??= said || "go on";
  }
  return {
    name,
    prompts: Object.values(prompts),
    answers: Object.values(answers).map((items) => items.flatMap(toEvents)),
    outputs,
  };
}

function callsTools(answer: readonly Recorded[] = []): boolean {
  return answer.some(({ type }) => type === "tool_call");
}

function toEvents({ type, text = "", ...call }: Recorded, index: number): Event[] {
  if (type === "tool_call") {
    const { call_id: callId = "", name = "" } = call;
    return [
      { type: "block_start", index, kind: "tool_use", callId, name },
      { type: "block_delta", index, text: JSON.stringify(call.arguments) },
      { type: "block_stop", index },
    ];
  }
  const kind = type === "reasoning" ? "thinking" : "text";
  return [
    { type: "block_start", index, kind },
    { type: "block_delta", index, text },
    { type: "block_stop", index },
  ];
}
