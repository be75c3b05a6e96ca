import { AnthropicScheme } from "@llm-worker/providers-anthropic";
import { GeminiScheme } from "@llm-worker/providers-gemini";
import { OllamaScheme } from "@llm-worker/providers-ollama";
import { OpenAIChatScheme, OpenAIResponsesScheme } from "@llm-worker/providers-openai";
import type { Scheme } from "llm-worker";
import { UsageError } from "./command.js";

/** What a scheme is made of; which options there are is the scheme's own matter. */
export interface SchemeOptions {
  readonly model: string;
  readonly [option: string]: unknown;
}

const CREATE_SCHEME = {
  anthropic: (options: SchemeOptions): Scheme => new AnthropicScheme(options),
  "openai-chat": (options: SchemeOptions): Scheme => new OpenAIChatScheme(options),
  "openai-responses": (options: SchemeOptions): Scheme => new OpenAIResponsesScheme(options),
  gemini: (options: SchemeOptions): Scheme => new GeminiScheme(options),
  ollama: (options: SchemeOptions): Scheme => new OllamaScheme(options),
} as const;

/** Names of the wires, as the folders of recordings are named. */
export type Wire = keyof typeof CREATE_SCHEME;

export const WIRE_NAMES: readonly string[] = Object.keys(CREATE_SCHEME);

/** The scheme of a wire. */
export function createScheme(wire: Wire, options: SchemeOptions): Scheme {
  return CREATE_SCHEME[wire](options);
}

/** @throws UsageError for a name that no wire has */
export function toWire(name: string | undefined): Wire {
  if (name === undefined) throw new UsageError(`WIRE is missing: one of ${WIRE_NAMES.join(", ")}`);
  if (!isWire(name)) {
    throw new UsageError(
      `there is no wire ${JSON.stringify(name)}: one of ${WIRE_NAMES.join(", ")}`,
    );
  }
  return name;
}

function isWire(name: string): name is Wire {
  return Object.hasOwn(CREATE_SCHEME, name);
}
