import { parseArgs } from "node:util";
import { MIN_ANSWER_BYTES } from "llm-worker";
import { DEFAULT_MAX_AGE_MS, DEFAULT_MIN_AGE_MS } from "../clean-up.js";
import { assertBlobId } from "../blob-id.js";
import { parseAge } from "./age.js";
import { isS3Place } from "./s3-place.js";
import { UsageError } from "./usage.js";

/** What the command line asks for. */
export type Command =
  | { readonly name: "help" }
  | (Common & {
      readonly name: "put";
      readonly file: string;
      readonly mediaType?: string | undefined;
    })
  | (Common & { readonly name: "ls" })
  | (Common & { readonly name: "stat"; readonly id: string })
  | (Common & {
      readonly name: "inspect";
      readonly id: string;
      readonly selector: string;
      readonly raw: boolean;
      readonly maxAnswerBytes: number | undefined;
    })
  | (Common & {
      readonly name: "walk";
      readonly id: string;
      readonly maxAnswerBytes: number | undefined;
    })
  | (Common & GcCommand);

export interface GcCommand {
  readonly name: "gc";
  readonly sessions: string;
  readonly maxAgeMs: number;
  readonly minAgeMs: number;
  readonly maxBytes: number | undefined;
  readonly pins: readonly string[];
  readonly dryRun: boolean;
}

interface Common {
  readonly store: string;
  readonly endpoint: string | undefined;
  readonly json: boolean;
}

const OPTIONS = {
  store: { type: "string" },
  endpoint: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  raw: { type: "boolean" },
  "media-type": { type: "string" },
  "max-answer-bytes": { type: "string" },
  sessions: { type: "string" },
  "max-age": { type: "string" },
  "min-age": { type: "string" },
  "max-bytes": { type: "string" },
  pin: { type: "string", multiple: true },
  "dry-run": { type: "boolean" },
} as const;
type OptionName = keyof typeof OPTIONS;

/** Options that belong to some commands only. */
const OPTIONS_OF: Readonly<Record<Exclude<Command["name"], "help">, readonly OptionName[]>> = {
  put: ["json", "media-type"],
  ls: ["json"],
  stat: ["json"],
  inspect: ["json", "raw", "max-answer-bytes"],
  walk: ["max-answer-bytes"],
  gc: ["json", "sessions", "max-age", "min-age", "max-bytes", "pin", "dry-run"],
};

/** @throws UsageError */
export function parseCommand(args: readonly string[]): Command {
  const { values, positionals } = parse(args);
  const [name, ...operands] = positionals;
  if (values.help === true || name === undefined) {
    if (values.help === true) return { name: "help" };
    throw new UsageError("a command is missing");
  }
  if (!isCommandName(name)) throw new UsageError(`there is no command ${JSON.stringify(name)}`);
  for (const option of Object.keys(values)) {
    if (
      option !== "store" &&
      option !== "endpoint" &&
      !OPTIONS_OF[name].includes(option as OptionName)
    ) {
      throw new UsageError(`${name} takes no --${option}`);
    }
  }
  const { store, endpoint, json = false } = values;
  if (store === undefined || store === "") throw new UsageError("--store is missing");
  if (endpoint !== undefined && ![store, values.sessions ?? ""].some(isS3Place)) {
    throw new UsageError("--endpoint is for a place s3://BUCKET/PREFIX");
  }
  const common = { store, endpoint, json };
  switch (name) {
    case "put": {
      const [file] = operandsOf(name, operands, ["FILE or -"]);
      return { ...common, name, file, mediaType: values["media-type"] };
    }
    case "ls":
      operandsOf(name, operands, []);
      return { ...common, name };
    case "stat": {
      const [id] = operandsOf(name, operands, ["ID"]);
      return { ...common, name, id };
    }
    case "inspect": {
      const [id, selector = ""] = operandsOf(name, operands, ["ID"], ["SELECTOR"]);
      const { raw = false } = values;
      return { ...common, name, id, selector, raw, maxAnswerBytes: answerBytes(values) };
    }
    case "walk": {
      const [id] = operandsOf(name, operands, ["ID"]);
      return { ...common, name, id, maxAnswerBytes: answerBytes(values) };
    }
    case "gc":
      operandsOf(name, operands, []);
      return { ...common, ...gcCommand(values) };
  }
}

type Values = ReturnType<typeof parse>["values"];

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function isCommandName(name: string): name is keyof typeof OPTIONS_OF {
  return Object.hasOwn(OPTIONS_OF, name);
}

function operandsOf<const Needed extends readonly string[]>(
  name: string,
  operands: readonly string[],
  needed: Needed,
  optional: readonly string[] = [],
): { [I in keyof Needed]: string } & readonly (string | undefined)[] {
  const missing = needed[operands.length];
  if (missing !== undefined) throw new UsageError(`${name} needs ${missing}`);
  if (operands.length > needed.length + optional.length) {
    throw new UsageError(
      `${name} takes ${[...needed, ...optional].join(" and ") || "nothing"}, and no more; quote what has spaces`,
    );
  }
  // As many as are needed were counted.
  return operands as unknown as { [I in keyof Needed]: string } & readonly (string | undefined)[];
}

function gcCommand(values: Values): GcCommand {
  if (values.sessions === undefined || values.sessions === "") {
    throw new UsageError("gc needs --sessions: where the logs are that name what is to be kept");
  }
  return {
    name: "gc",
    sessions: values.sessions,
    maxAgeMs: parseAge("--max-age", values["max-age"], DEFAULT_MAX_AGE_MS),
    minAgeMs: parseAge("--min-age", values["min-age"], DEFAULT_MIN_AGE_MS),
    maxBytes: byteCount("--max-bytes", values["max-bytes"]),
    pins: (values.pin ?? []).map(checkedPin),
    dryRun: values["dry-run"] ?? false,
  };
}

/** A pin that names nothing would be a blob lost. */
function checkedPin(id: string): string {
  try {
    assertBlobId(id);
    return id;
  } catch (error) {
    throw new UsageError("--pin needs the id of a blob", { cause: error });
  }
}

function answerBytes(values: Values): number | undefined {
  const count = byteCount("--max-answer-bytes", values["max-answer-bytes"]);
  if (count === undefined || count >= MIN_ANSWER_BYTES) return count;
  throw new UsageError(`--max-answer-bytes has to be at least ${MIN_ANSWER_BYTES}`);
}

function byteCount(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const count = /^\d+$/.test(text) ? Number(text) : NaN;
  if (Number.isSafeInteger(count)) return count;
  throw new UsageError(`${option} needs a number of bytes`);
}
