import {
  type HttpHeaders,
  HttpProvider,
  type HttpTimeouts,
  MissingApiKeyError,
  type Provider,
  type RetryOptions,
} from "llm-worker";
import type { OllamaSchemeOptions } from "./build-request.js";
import { hostAddress } from "./host-address.js";
import { OllamaScheme } from "./scheme.js";

/** Where requests go by default. */
const DEFAULT_BASE_URL = "http://127.0.0.1:11434";
const HOST_VARIABLE = "OLLAMA_HOST";
/** The hosted service, the only server that wants a key. */
const CLOUD_ORIGIN = "https://ollama.com";
const KEY_VARIABLE = "OLLAMA_API_KEY";

/**
 * Loading a model and reading a long prompt take minutes on small machines, and while the model
 * writes a tool call the server sends nothing.
 */
const FIRST_BYTE_MS = 600_000;
const IDLE_MS = 300_000;

/** What {@link ollama} takes: the scheme's options and how to reach the server. */
export interface OllamaOptions extends OllamaSchemeOptions {
  /**
   * Sent to whatever server is asked. Default: for `https://ollama.com` the environment variable
   * `OLLAMA_API_KEY`, read when the provider is made; for others none.
   */
  readonly apiKey?: string | undefined;
  /** Default: the environment variable `OLLAMA_HOST`, else `http://127.0.0.1:11434`. */
  readonly baseUrl?: string | undefined;
  /** Further request headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Default: ten minutes until the first byte, five between two pieces. */
  readonly timeouts?: HttpTimeouts | undefined;
  readonly retry?: RetryOptions | undefined;
}

/**
 * A provider for Ollama, on this machine, on another one, or hosted.
 *
 * @throws MissingApiKeyError if the hosted service is used without a key
 * @throws LlmError `invalid_request` if the address is not an HTTP address, or has more than a path, or if a
 *   time limit is no number
 * @example
 * const provider = ollama({ model: "qwen3:8b", numCtx: 32_768 });
 */
export function ollama(options: OllamaOptions): Provider {
  const { apiKey, baseUrl, headers = {}, timeouts = {}, retry } = options;
  const address = withoutPath(
    baseUrl ?? hostAddress(process.env[HOST_VARIABLE] ?? "") ?? DEFAULT_BASE_URL,
  );
  const isCloud = URL.canParse(address) && new URL(address).origin === CLOUD_ORIGIN;
  const environmentKey = isCloud ? process.env[KEY_VARIABLE] : undefined;
  // Keys read from files often end in a line break, which no header may have.
  const key = (apiKey ?? environmentKey ?? "").trim();
  if (key === "" && isCloud) throw new MissingApiKeyError("Ollama's hosted service", KEY_VARIABLE);
  const keyHeader: HttpHeaders = key === "" ? {} : { authorization: `Bearer ${key}` };
  return new HttpProvider({
    scheme: new OllamaScheme(options),
    baseUrl: address,
    headers: { ...keyHeader, ...headers },
    timeouts: {
      connectMs: timeouts.connectMs,
      firstByteMs: timeouts.firstByteMs ?? FIRST_BYTE_MS,
      idleMs: timeouts.idleMs ?? IDLE_MS,
    },
    retry,
  });
}

/** The path begins with `/api`; addresses are often written with it. */
function withoutPath(baseUrl: string): string {
  return baseUrl
    .trim()
    .replace(/\/+$/, "")
    .replace(/\/api(\/chat)?$/, "");
}
