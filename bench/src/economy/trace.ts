import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

/** One recorded session: what went in, and what the model answered to each request. */
export interface Trace {
  readonly name: string;
  /** Requests that the model answered. */
  readonly requestCount: number;
  readonly systemPrompt: string | undefined;
  /** By request that sends them first. */
  readonly prompts: readonly TracePrompt[];
  /** By request: what the model answered to it. */
  readonly answers: readonly (readonly TraceBlock[])[];
  readonly toolNames: readonly string[];
  /** By call id. A call that the recording breaks off at has none. */
  readonly outputs: ReadonlyMap<string, TraceOutput>;
}

export interface TracePrompt {
  readonly request: number;
  readonly text: string;
}

export type TraceBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | {
      readonly type: "tool_use";
      readonly callId: string;
      readonly name: string;
      readonly arguments: string;
    };

export interface TraceOutput {
  readonly text: string;
  readonly isError: boolean;
}

/** A line of a trace file, as the corpus describes its format. */
type TraceLine =
  | { readonly type: "session"; readonly id: string; readonly requests: number }
  | {
      readonly type: "message";
      readonly turn: number;
      readonly role: "system" | "user" | "assistant";
      readonly text: string;
    }
  | { readonly type: "reasoning"; readonly turn: number; readonly text: string }
  | {
      readonly type: "tool_call";
      readonly turn: number;
      readonly call_id: string;
      readonly name: string;
      readonly arguments: unknown;
    }
  | {
      readonly type: "tool_result";
      readonly turn: number;
      readonly call_id: string;
      readonly output: string;
      readonly is_error?: boolean;
    };

/** Reads a `.jsonl` or `.jsonl.gz` file. */
export async function readTrace(path: string): Promise<Trace> {
  const bytes = await readFile(path);
  const text = path.endsWith(".gz") ? await promisify(gunzip)(bytes) : bytes;
  return parseTrace(basename(path).replace(/\.jsonl(\.gz)?$/, ""), text.toString());
}

/** @throws SyntaxError if a line is no JSON; TypeError if there is no session line */
export function parseTrace(name: string, jsonl: string): Trace {
  // The corpus is ours to trust: its README is the schema of these lines.
  const lines = jsonl
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as TraceLine);
  const session = lines.find((line) => line.type === "session");
  if (session === undefined) throw new TypeError(`${name} has no session line`);
  const systemTexts: string[] = [];
  const prompts: TracePrompt[] = [];
  const answers: TraceBlock[][] = Array.from({ length: session.requests }, () => []);
  const toolNames = new Set<string>();
  const outputs = new Map<string, TraceOutput>();
  for (const line of lines) {
    switch (line.type) {
      case "session":
        break;
      case "message":
        if (line.role === "assistant") answers[line.turn]?.push({ type: "text", text: line.text });
        else if (line.role === "system") systemTexts.push(line.text);
        else prompts.push({ request: line.turn, text: line.text });
        break;
      case "reasoning":
        answers[line.turn]?.push({ type: "thinking", text: line.text });
        break;
      case "tool_call":
        toolNames.add(line.name);
        answers[line.turn]?.push({
          type: "tool_use",
          callId: line.call_id,
          name: line.name,
          arguments: JSON.stringify(line.arguments),
        });
        break;
      case "tool_result":
        outputs.set(line.call_id, { text: line.output, isError: line.is_error === true });
        break;
    }
  }
  return {
    name,
    requestCount: session.requests,
    systemPrompt: systemTexts.length === 0 ? undefined : systemTexts.join("\n\n"),
    prompts,
    answers,
    toolNames: [...toolNames],
    outputs,
  };
}
