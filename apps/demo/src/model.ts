import { anthropic } from "@llm-worker/providers-anthropic";
import type { Provider } from "llm-worker";
import type { ModelChoice } from "./arguments.js";
import { DemoError, messageOf } from "./demo-error.js";

/** A model server that somebody has started. */
export interface RunningModel {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the scripted model. */
export type StartModel = (options: { readonly port?: number | undefined }) => Promise<RunningModel>;

/** Who answers, and how to take leave. */
export interface OpenModel {
  readonly provider: Provider;
  /** One line: who answers. */
  readonly title: string;
  readonly isLanguageModel: boolean;
  close(): Promise<void>;
}

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

const KEY_VARIABLE = "ANTHROPIC_API_KEY";
const SCRIPTED_MODEL = "scripted-model";

/** @throws DemoError if there is no key, or the scripted model cannot be started */
export async function openModel(
  choice: ModelChoice,
  env: Environment,
  startModel: StartModel,
): Promise<OpenModel> {
  return choice.provider === "scripted"
    ? openScripted(choice.port, startModel)
    : openAnthropic(choice, env);
}

async function openScripted(port: number | undefined, startModel: StartModel): Promise<OpenModel> {
  let server: RunningModel;
  try {
    server = await startModel({ port });
  } catch (error) {
    throw new DemoError(`the scripted model does not start: ${messageOf(error)}`, { cause: error });
  }
  return {
    // Its key is no secret, and a real one from the environment is not for it.
    provider: anthropic({ model: SCRIPTED_MODEL, apiKey: SCRIPTED_MODEL, baseUrl: server.url }),
    title: "scripted demo model, not a language model; use --provider anthropic for a real one",
    isLanguageModel: false,
    close: () => server.close(),
  };
}

function openAnthropic(
  { model, baseUrl }: Extract<ModelChoice, { provider: "anthropic" }>,
  env: Environment,
): OpenModel {
  const apiKey = env[KEY_VARIABLE]?.trim() ?? "";
  // A server of one's own may need none.
  if (apiKey === "" && baseUrl === undefined) {
    throw new DemoError(`--provider anthropic needs a key in ${KEY_VARIABLE}, and it is not set`);
  }
  return {
    provider: anthropic({ model, apiKey, baseUrl }),
    title: baseUrl === undefined ? `${model} (anthropic)` : `${model} (anthropic, ${baseUrl})`,
    isLanguageModel: true,
    close: () => Promise.resolve(),
  };
}
