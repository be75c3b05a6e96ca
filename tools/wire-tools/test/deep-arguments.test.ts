import type { Event } from "llm-worker";
import { expect, test } from "vitest";
import { createScheme, toWire, type Wire, WIRE_NAMES } from "../src/wires.js";

const DEPTH = 200_000;
const DEEP = `${'{"a":'.repeat(DEPTH)}1${"}".repeat(DEPTH)}`;

/** A call whose arguments come as a value, as each wire has it or some of its servers do. */
const frames: Readonly<Record<Wire, readonly string[]>> = {
  anthropic: [
    `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c","name":"t","input":${DEEP}}}`,
    '{"type":"content_block_stop","index":0}',
  ],
  "openai-chat": [
    `{"id":"r","choices":[{"delta":{"tool_calls":[{"id":"c","function":{"name":"t","arguments":${DEEP}}}]}}]}`,
  ],
  "openai-responses": [
    `{"type":"response.output_item.done","item":{"type":"function_call","call_id":"c","name":"t","arguments":${DEEP}}}`,
  ],
  gemini: [`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"t","args":${DEEP}}}]}}]}`],
  ollama: [`{"message":{"tool_calls":[{"function":{"name":"t","arguments":${DEEP}}}]}}`],
};

test.each(WIRE_NAMES.map(toWire))(
  "%s: arguments that are nested too deep throw nothing, and are no arguments",
  (wire) => {
    const scheme = createScheme(wire, { model: "test" });
    const state = scheme.createState();
    const events: Event[] = [];
    for (const data of frames[wire]) scheme.parseEvent({ data }, state, events);
    scheme.parseEnd(state, events);
    const texts = events.flatMap((event) => (event.type === "block_delta" ? [event.text] : []));
    for (const text of texts) expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
    expect(events.at(-1)).toMatchObject({ type: "error" });
  },
);
