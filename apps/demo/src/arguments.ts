import { parseArgs } from "node:util";
import { UsageError } from "./demo-error.js";
import { isProviderName, PROVIDER_NAMES, type ProviderName } from "./providers.js";

/** What the demo is to ask about. */
export type Task =
  | { readonly type: "samples"; readonly seed: number }
  | { readonly type: "file"; readonly path: string; readonly question: string | undefined }
  | { readonly type: "directory"; readonly path: string; readonly question: string };

/** Who is to answer. */
export type ModelChoice =
  | {
      readonly provider: "scripted";
      /** The provider whose wire is spoken. */
      readonly wire: ProviderName;
      readonly port: number | undefined;
    }
  | {
      readonly provider: ProviderName;
      readonly model: string | undefined;
      readonly baseUrl: string | undefined;
      /** For the scripted model, should it stand in. */
      readonly port: number | undefined;
    };

/** A command line that was understood. */
export type DemoArguments =
  | { readonly type: "help" }
  | {
      readonly type: "run";
      readonly task: Task;
      readonly model: ModelChoice;
      /** Keeps the blobs; as it was written, relative or not. */
      readonly storeDirectory: string | undefined;
      readonly format: "text" | "json";
    };

const DEFAULT_WIRE = "anthropic";
const DEFAULT_SEED = 1;
const MAX_PORT = 65_535;

/** @throws UsageError if it cannot be understood */
export function parseArguments(argv: readonly string[]): DemoArguments {
  const { values, positionals } = parseOptions(argv);
  if (values.help === true) return { type: "help" };
  return {
    type: "run",
    task: readTask(values, positionals),
    model: readModel(values),
    storeDirectory: notEmpty("--store", values.store),
    format: values.json === true ? "json" : "text",
  };
}

function parseOptions(argv: readonly string[]): Parsed {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // Node's second sentence explains `--` at length.
    const [sentence = message] = message.split(/\.\s/u, 1);
    throw new UsageError(sentence.charAt(0).toLowerCase() + sentence.slice(1));
  }
}

const OPTIONS = {
  dir: { type: "string" },
  provider: { type: "string" },
  wire: { type: "string" },
  model: { type: "string" },
  "base-url": { type: "string" },
  port: { type: "string" },
  seed: { type: "string" },
  store: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

type Parsed = ReturnType<
  typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true; args: string[] }>
>;
type Values = Parsed["values"];

function readTask(values: Values, positionals: readonly string[]): Task {
  const isAboutSamples = values.dir === undefined && positionals.length === 0;
  if (values.seed !== undefined && !isAboutSamples) {
    throw new UsageError("--seed is for the sample files, it cannot be used with your own");
  }
  if (isAboutSamples) {
    return { type: "samples", seed: wholeNumber("--seed", values.seed) ?? DEFAULT_SEED };
  }
  if (values.dir !== undefined) {
    const question = positionals.join(" ").trim();
    if (question === "") throw new UsageError("--dir DIR needs a question about the folder");
    return { type: "directory", path: notEmpty("--dir", values.dir) ?? ".", question };
  }
  const [path = "", ...words] = positionals;
  const question = words.join(" ").trim();
  if (path === "") throw new UsageError("FILE is empty");
  if (words.length > 0 && question === "") throw new UsageError("the question is empty");
  return { type: "file", path, question: question === "" ? undefined : question };
}

function readModel(values: Values): ModelChoice {
  const { provider = "scripted" } = values;
  const model = notEmpty("--model", values.model);
  const baseUrl = values["base-url"];
  const port = wholeNumber("--port", values.port, MAX_PORT);
  const realOption = model === undefined ? baseUrl && "--base-url" : "--model";
  if (provider === "scripted") {
    if (realOption !== undefined) throw new UsageError(`${realOption} needs --provider NAME`);
    return { provider, wire: readProvider(values.wire ?? DEFAULT_WIRE, "wire"), port };
  }
  const name = readProvider(provider, "provider");
  if (values.wire !== undefined) throw new UsageError("--wire is for --provider scripted only");
  if (port !== undefined && realOption !== undefined) {
    throw new UsageError(`--port is for the scripted model only, ${realOption} for a real one`);
  }
  if (baseUrl !== undefined && !isHttpUrl(baseUrl)) {
    throw new UsageError(`--base-url needs an http or https address, not "${baseUrl}"`);
  }
  return { provider: name, model, baseUrl, port };
}

function readProvider(name: string, what: "provider" | "wire"): ProviderName {
  if (isProviderName(name)) return name;
  const scripted = what === "provider" ? "scripted, " : "";
  throw new UsageError(`unknown ${what} "${name}": there are ${scripted}${PROVIDER_NAMES}`);
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol);
}

function notEmpty(option: string, value: string | undefined): string | undefined {
  if (value?.trim() === "") throw new UsageError(`${option} is empty`);
  return value;
}

function wholeNumber(
  option: string,
  text: string | undefined,
  maximum: number = Number.MAX_SAFE_INTEGER,
): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d+$/u.test(text) ? Number(text) : Number.NaN;
  if (value <= maximum) return value;
  throw new UsageError(`${option} needs a whole number from 0 to ${maximum}, not "${text}"`);
}
