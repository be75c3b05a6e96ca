import { MissingApiKeyError, type Provider } from "llm-worker";
import type { ModelChoice } from "./arguments.js";
import { DemoError, messageOf } from "./demo-error.js";
import { type KnownProvider, PROVIDERS, type ProviderName } from "./providers.js";

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

const SCRIPTED_MODEL = "scripted-model";

/**
 * Opens the model that was chosen. A provider of which nothing is known but its name, neither key nor
 * model nor address, is played by the scripted model.
 *
 * @throws DemoError if a key is missing, or the scripted model cannot be started
 */
export async function openModel(
  choice: ModelChoice,
  env: Environment,
  startModel: StartModel,
): Promise<OpenModel> {
  if (choice.provider === "scripted") {
    return openScripted(choice.wire, choice.port, titleOfScripted(choice.wire), startModel);
  }
  const { provider: name, port } = choice;
  const { variable } = PROVIDERS[name];
  const isSet = (env[variable] ?? "").trim() !== "";
  if (!isSet && choice.model === undefined && choice.baseUrl === undefined) {
    const title = `scripted demo model on the ${name} wire, not a language model; set ${variable} for a real one`;
    return openScripted(name, port, title, startModel);
  }
  if (port === undefined) return openReal(choice, env);
  throw new DemoError(
    `--port is for the scripted model, but ${variable} is set; use --provider scripted --wire ${name}`,
  );
}

function titleOfScripted(wire: ProviderName): string {
  const how = wire === "anthropic" ? "" : ` on the ${wire} wire`;
  return `scripted demo model${how}, not a language model; use --provider ${wire} for a real one`;
}

async function openScripted(
  wire: ProviderName,
  port: number | undefined,
  title: string,
  startModel: StartModel,
): Promise<OpenModel> {
  let server: RunningModel;
  try {
    server = await startModel({ port });
  } catch (error) {
    throw new DemoError(`the scripted model does not start: ${messageOf(error)}`, { cause: error });
  }
  const { create, basePath } = PROVIDERS[wire];
  return {
    // Its key is no secret, and a real one from the environment is not for it.
    provider: create({
      model: SCRIPTED_MODEL,
      apiKey: SCRIPTED_MODEL,
      baseUrl: `${server.url}${basePath}`,
    }),
    title,
    isLanguageModel: false,
    close: () => server.close(),
  };
}

type RealChoice = Exclude<ModelChoice, { provider: "scripted" }>;

function openReal({ provider: name, baseUrl, ...choice }: RealChoice, env: Environment): OpenModel {
  const known = PROVIDERS[name];
  const { defaultModel, variable, variableHolds } = known;
  const model = choice.model ?? defaultModel;
  // An address is read by the provider itself.
  const apiKey = variableHolds === "key" ? (env[variable]?.trim() ?? "") : undefined;
  return {
    provider: createReal(known, { model, apiKey, baseUrl }),
    title: baseUrl === undefined ? `${model} (${name})` : `${model} (${name}, ${baseUrl})`,
    isLanguageModel: true,
    close: () => Promise.resolve(),
  };
}

function createReal(
  { create, variable }: KnownProvider,
  connection: Parameters<KnownProvider["create"]>[0],
): Provider {
  try {
    return create(connection);
  } catch (error) {
    if (!(error instanceof MissingApiKeyError)) throw error;
    const asked = connection.baseUrl ?? connection.model;
    throw new DemoError(`${asked} needs a key in ${variable}, and it is not set`, { cause: error });
  }
}
