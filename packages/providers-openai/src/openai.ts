import {
  type HttpHeaders,
  HttpProvider,
  type HttpTimeouts,
  MissingApiKeyError,
  type Provider,
  type RetryOptions,
} from "llm-worker";
import type { OpenAIChatSchemeOptions } from "./chat/build-request.js";
import { OpenAIChatScheme } from "./chat/scheme.js";
import type { OpenAIResponsesSchemeOptions } from "./responses/build-request.js";
import { OpenAIResponsesScheme } from "./responses/scheme.js";

/** Where requests go by default. */
const DEFAULT_BASE_URL = "https://api.openai.com/v1";
const KEY_VARIABLE = "OPENAI_API_KEY";

/** How to reach the server. */
export interface OpenAIConnectionOptions {
  /** Default: the environment variable `OPENAI_API_KEY`, read when the provider is made. */
  readonly apiKey?: string | undefined;
  /**
   * Address of a server that speaks the API, with its version path: `/responses` or
   * `/chat/completions` is appended. Needs no key unless it is the default.
   */
  readonly baseUrl?: string | undefined;
  /** Further request headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly timeouts?: HttpTimeouts | undefined;
  readonly retry?: RetryOptions | undefined;
}

/** What {@link openai} takes: which of the two APIs, its scheme's options and the connection. */
export type OpenAIOptions = OpenAIConnectionOptions &
  (
    | ({ readonly api?: "responses" | undefined } & OpenAIResponsesSchemeOptions)
    | ({ readonly api: "chat" } & OpenAIChatSchemeOptions)
  );

/** What {@link openaiCompatible} takes. No key is read from the environment. */
export interface OpenAICompatibleOptions extends OpenAIChatSchemeOptions, OpenAIConnectionOptions {
  readonly baseUrl: string;
}

/**
 * A provider for OpenAI: the Responses API, or Chat Completions with `api: "chat"`.
 *
 * @throws MissingApiKeyError if the default server is used without a key
 * @throws LlmError `invalid_request` if `baseUrl` is not an HTTP address, or has more than a path, or if a
 *   time limit is no number
 * @example
 * const provider = openai({ model: "gpt-5.2" });
 */
export function openai(options: OpenAIOptions): Provider {
  const { baseUrl = DEFAULT_BASE_URL, apiKey = process.env[KEY_VARIABLE] ?? "" } = options;
  const isDefault = withoutSlash(baseUrl) === DEFAULT_BASE_URL;
  if (isDefault && apiKey.trim() === "") throw new MissingApiKeyError("OpenAI", KEY_VARIABLE);
  const connection = connectionOf({ ...options, apiKey, baseUrl });
  return options.api === "chat"
    ? new HttpProvider({ scheme: new OpenAIChatScheme(options), ...connection })
    : new HttpProvider({ scheme: new OpenAIResponsesScheme(options), ...connection });
}

/**
 * A provider for one of the many servers that speak Chat Completions: llama.cpp, vLLM, Ollama,
 * OpenRouter, Groq, DeepSeek, Mistral, xAI and others.
 *
 * @throws LlmError `invalid_request` if `baseUrl` is not an HTTP address, or has more than a path, or if a
 *   time limit is no number
 * @example
 * const provider = openaiCompatible({ baseUrl: "http://127.0.0.1:8080/v1", model: "qwen3" });
 */
export function openaiCompatible(options: OpenAICompatibleOptions): Provider {
  const { maxTokensField = "max_tokens" } = options;
  return new HttpProvider({
    scheme: new OpenAIChatScheme({ ...options, maxTokensField }),
    ...connectionOf(options),
  });
}

function connectionOf(options: OpenAIConnectionOptions & { readonly baseUrl: string }): {
  readonly baseUrl: string;
  readonly headers: HttpHeaders;
  readonly timeouts: HttpTimeouts | undefined;
  readonly retry: RetryOptions | undefined;
} {
  const { apiKey = "", baseUrl, headers = {}, timeouts, retry } = options;
  // Keys read from files often end in a line break, which no header may have.
  const key = apiKey.trim();
  const keyHeader: Readonly<Record<string, string>> =
    key === "" ? {} : { authorization: `Bearer ${key}` };
  return {
    baseUrl: withoutSlash(baseUrl),
    headers: { ...keyHeader, ...headers },
    timeouts,
    retry,
  };
}

function withoutSlash(baseUrl: string): string {
  return baseUrl.trim().replace(/\/+$/, "");
}
