import {
  type HttpHeaders,
  HttpProvider,
  type HttpTimeouts,
  MissingApiKeyError,
  type Provider,
  type RetryOptions,
} from "llm-worker";
import type { AnthropicSchemeOptions } from "./build-request.js";
import { AnthropicScheme } from "./scheme.js";

/** Where requests go by default. */
const DEFAULT_BASE_URL = "https://api.anthropic.com";
const KEY_VARIABLE = "ANTHROPIC_API_KEY";

/** What {@link anthropic} takes: the scheme's options and how to reach the server. */
export interface AnthropicOptions extends AnthropicSchemeOptions {
  /** Default: the environment variable `ANTHROPIC_API_KEY`, read when the provider is made. */
  readonly apiKey?: string | undefined;
  /** Address of a server that speaks this API. Needs no key unless it is the default. */
  readonly baseUrl?: string | undefined;
  /** Further request headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly timeouts?: HttpTimeouts | undefined;
  readonly retry?: RetryOptions | undefined;
}

/**
 * A provider for the Anthropic Messages API.
 *
 * @throws MissingApiKeyError if the default server is used without a key
 * @throws LlmError `invalid_request` if `baseUrl` is not an HTTP address, or has more than a path, or if a
 *   time limit is no number
 * @example
 * const provider = anthropic({ model: "claude-sonnet-5" });
 */
export function anthropic(options: AnthropicOptions): Provider {
  const { apiKey, baseUrl = DEFAULT_BASE_URL, headers = {}, timeouts, retry } = options;
  // Keys read from files often end in a line break, which no header may have.
  const key = (apiKey ?? process.env[KEY_VARIABLE] ?? "").trim();
  const address = withoutVersion(baseUrl);
  if (key === "" && address === DEFAULT_BASE_URL)
    throw new MissingApiKeyError("Anthropic", KEY_VARIABLE);
  const keyHeader: HttpHeaders = key === "" ? {} : { "x-api-key": key };
  return new HttpProvider({
    scheme: new AnthropicScheme(options),
    baseUrl: address,
    headers: { ...keyHeader, ...headers },
    timeouts,
    retry,
  });
}

/** The path begins with `/v1`; addresses are often written with it. */
function withoutVersion(baseUrl: string): string {
  return baseUrl.trim().replace(/\/+$/, "").replace(/\/v1$/, "");
}
