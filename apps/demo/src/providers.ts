import { anthropic } from "@llm-worker/providers-anthropic";
import { gemini } from "@llm-worker/providers-gemini";
import { ollama } from "@llm-worker/providers-ollama";
import { openai } from "@llm-worker/providers-openai";
import type { Provider } from "llm-worker";

/** How to reach a server. What is absent is the provider's own default. */
export interface Connection {
  readonly model: string;
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
}

/** A provider as the demo knows it. */
export interface KnownProvider {
  /** Set in the environment, it says that the real provider is to answer. */
  readonly variable: string;
  /** Whether that variable holds a key, or the address of a server. */
  readonly variableHolds: "key" | "address";
  readonly defaultModel: string;
  /** What follows a server's address in the base URL. */
  readonly basePath: string;
  readonly create: (connection: Connection) => Provider;
}

/** A name for `--provider`. OpenAI has two wires. */
export type ProviderName = "anthropic" | "openai" | "openai-chat" | "gemini" | "ollama";

/** All providers by name. */
export const PROVIDERS: Readonly<Record<ProviderName, KnownProvider>> = {
  anthropic: {
    variable: "ANTHROPIC_API_KEY",
    variableHolds: "key",
    defaultModel: "claude-sonnet-4-6",
    basePath: "",
    create: anthropic,
  },
  openai: {
    variable: "OPENAI_API_KEY",
    variableHolds: "key",
    defaultModel: "gpt-5.4",
    basePath: "/v1",
    create: openai,
  },
  "openai-chat": {
    variable: "OPENAI_API_KEY",
    variableHolds: "key",
    defaultModel: "gpt-5.4",
    basePath: "/v1",
    create: (connection) => openai({ ...connection, api: "chat" }),
  },
  gemini: {
    variable: "GEMINI_API_KEY",
    variableHolds: "key",
    defaultModel: "gemini-3.5-flash",
    basePath: "",
    create: gemini,
  },
  ollama: {
    variable: "OLLAMA_HOST",
    variableHolds: "address",
    defaultModel: "qwen3",
    basePath: "",
    create: ollama,
  },
};

/** Such as `anthropic, openai and ollama`. */
export const PROVIDER_NAMES: string = Object.keys(PROVIDERS)
  .join(", ")
  .replace(/, ([^,]*)$/u, " and $1");

/** Whether there is a provider of that name. */
export function isProviderName(name: string): name is ProviderName {
  return Object.hasOwn(PROVIDERS, name);
}
