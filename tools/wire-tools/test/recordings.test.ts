import {
  hasSharedData,
  type Json,
  named,
  type RecordedWire,
  type Recording,
  recordings,
  skippedWhen,
} from "@llm-worker/wire-testing";
import { describe, expect, test } from "vitest";
import { decodeAnswer } from "../src/decode-answer.js";

const WIRES: readonly RecordedWire[] = [
  "anthropic",
  "openai-chat",
  "openai-responses",
  "gemini",
  "ollama",
];

/** Where an expectation is not what its own description, or the list of quirks, says it should be. */
const SEEN_OTHERWISE: Readonly<Record<string, Json>> = {
  // F15: a wait of zero milliseconds is no answer, so the header beside it counts.
  "error-rbllm-chat-real-error-scenarios-azure-grok-4-1-fast-non-reasonin": {
    error: { status: 429, retryable: true, retryAfterMs: 1_000 },
  },
  // F15: a quota that is used up does not come back by waiting.
  "error-vai-openai-error-1": { error: { status: 429, retryable: false, retryAfterMs: null } },
  // C7: reasoning_details are reasoning; and a finished turn with calls is a tool turn.
  "json-pydai-snowflake-thinking": {
    reasoning: "Let me get the weather for Mexico City.",
    stopReason: "tool_use",
    parts: ["reasoning", "text", "tool_call"],
  },
};

describe.skipIf(!hasSharedData).each(WIRES)(
  `wire-decode agrees with what is expected of %s${skippedWhen}`,
  (wire) => {
    test.for(named(recordings(wire)))("%s", ([name, recording]) => {
      // Expectations are JSON objects.
      const expected = bindingFields(recording.expected as unknown as Json);
      const { status, headers, bytes: body } = recording;
      for (const pieceBytes of [undefined, 1, 5]) {
        const form = formOf(recording);
        const outcome = decodeAnswer({ wire, status, headers, body, form, pieceBytes });
        expect(bindingFields(outcome)).toMatchObject({ ...expected, ...SEEN_OTHERWISE[name] });
      }
    });
  },
);

function formOf({ file }: Recording): "stream" | undefined {
  return file.endsWith(".json") ? undefined : "stream";
}

/** The fields that bind, as far as an expectation has them. */
function bindingFields({ outcome, stop, usage, error, parts, ...fields }: Json): Json {
  return {
    outcome,
    ...pick(fields, ["text", "reasoning", "refusal", "toolCalls"]),
    ...(stop === undefined ? {} : { stopReason: (stop as Json)["reason"] }),
    ...(usage === undefined ? {} : { usage: withoutRaw(usage as Json | null) }),
    ...(error === undefined
      ? {}
      : { error: pick(error as Json, ["status", "retryable", "retryAfterMs"]) }),
    ...(parts === undefined ? {} : { parts: kindsOf(parts as readonly Json[]) }),
  };
}

function withoutRaw(usage: Json | null): Json | null {
  if (usage === null) return null;
  const { raw: _asSent, ...counts } = usage;
  return counts;
}

/** How text is cut into parts does not bind, and one that is empty is none. */
function kindsOf(parts: readonly Json[]): readonly unknown[] {
  const kinds = parts.filter(isPart).map(({ type }) => type);
  return kinds.filter(
    (kind, at) => kind !== kinds[at - 1] || kind === "tool_call" || kind === "other",
  );
}

function pick(fields: Json, names: readonly string[]): Json {
  return Object.fromEntries(
    names.filter((name) => name in fields).map((name) => [name, fields[name]]),
  );
}

function isPart({ type, text }: Json): boolean {
  return type !== "text" || text !== "";
}
