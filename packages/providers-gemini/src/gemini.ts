import {
  type HttpHeaders,
  HttpProvider,
  type HttpTimeouts,
  MissingApiKeyError,
  type Provider,
  type RetryOptions,
} from "llm-worker";
import type { GeminiSchemeOptions } from "./build-request.js";
import { GeminiScheme } from "./scheme.js";

/** Where requests go by default. */
const DEFAULT_BASE_URL = "https://generativelanguage.googleapis.com";
const KEY_VARIABLE = "GEMINI_API_KEY";
const SECOND_KEY_VARIABLE = "GOOGLE_API_KEY";

/** What {@link gemini} takes: the scheme's options and how to reach the server. */
export interface GeminiOptions extends GeminiSchemeOptions {
  /**
   * Default: the environment variable `GEMINI_API_KEY`, else `GOOGLE_API_KEY`, read when the provider
   * is made.
   */
  readonly apiKey?: string | undefined;
  /** Address of a server that speaks this API. Needs no key unless it is the default. */
  readonly baseUrl?: string | undefined;
  /** Further request headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly timeouts?: HttpTimeouts | undefined;
  readonly retry?: RetryOptions | undefined;
}

/**
 * A provider for the Gemini API.
 *
 * @throws MissingApiKeyError if the default server is used without a key
 * @throws LlmError `invalid_request` if `baseUrl` is not an HTTP address, or has more than a path, or if a
 *   time limit is no number
 * @example
 * const provider = gemini({ model: "gemini-3-flash-preview" });
 */
export function gemini(options: GeminiOptions): Provider {
  const { apiKey, baseUrl = DEFAULT_BASE_URL, headers = {}, timeouts, retry } = options;
  const key = keyOf(apiKey);
  const { address, version } = splitVersion(baseUrl);
  if (key === "" && address === DEFAULT_BASE_URL) {
    throw new MissingApiKeyError("Gemini", `${KEY_VARIABLE} or ${SECOND_KEY_VARIABLE}`);
  }
  // In a header and not in the address, which ends up in logs (G17).
  const keyHeader: HttpHeaders = key === "" ? {} : { "x-goog-api-key": key };
  return new HttpProvider({
    scheme: new GeminiScheme({ ...options, apiVersion: options.apiVersion ?? version }),
    baseUrl: address,
    headers: { ...keyHeader, ...headers },
    timeouts,
    retry,
  });
}

/** Keys read from files often end in a line break, which no header may have. */
function keyOf(apiKey: string | undefined): string {
  if (apiKey !== undefined) return apiKey.trim();
  const { [KEY_VARIABLE]: first = "", [SECOND_KEY_VARIABLE]: second = "" } = process.env;
  return first.trim() || second.trim();
}

/** The path begins with the version; addresses are often written with it. */
function splitVersion(baseUrl: string): { address: string; version: string | undefined } {
  const trimmed = baseUrl.trim().replace(/\/+$/, "");
  const version = /\/(v\d+\w*)$/.exec(trimmed)?.[1];
  const address = version === undefined ? trimmed : trimmed.slice(0, -version.length - 1);
  return { address, version };
}
