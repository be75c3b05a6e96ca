import { parseArgs } from "node:util";
import { type ScriptedModelOptions, startScriptedModel } from "./server.js";

const USAGE =
  "usage: scripted-model [--port N] [--rate-limit-once SECONDS] [--overload-once] [--cut-stream-once] [--slow MS] [--seed N]";

const PARENT_CHECK_MS = 1000;

try {
  const options = readFlags(process.argv.slice(2));
  endWithParent();
  const model = await startScriptedModel(options);
  process.stdout.write(`${JSON.stringify({ url: model.url })}\n`);
} catch (error) {
  process.stderr.write(`scripted-model: ${explain(error)}\n`);
  process.exit(1);
}

function readFlags(args: readonly string[]): ScriptedModelOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: "string" },
      "rate-limit-once": { type: "string" },
      "overload-once": { type: "boolean" },
      "cut-stream-once": { type: "boolean" },
      slow: { type: "string" },
      seed: { type: "string" },
    },
  });
  return {
    port: readNumber("--port", values.port),
    rateLimitOnceSeconds: readNumber("--rate-limit-once", values["rate-limit-once"]),
    overloadOnce: values["overload-once"],
    cutStreamOnce: values["cut-stream-once"],
    slowMs: readNumber("--slow", values.slow),
    seed: readNumber("--seed", values.seed),
  };
}

function readNumber(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d+$/u.test(value)) throw new TypeError(`${flag} needs a whole number`);
  return Number(value);
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE")
    return "the port is in use: choose another --port, or none for a free one";
  if (error instanceof TypeError) return `${error.message.split("\n", 1)[0]}; ${USAGE}`;
  return error.message;
}

/** Ends this process with the one that started it: when that closes our stdin, or is gone. */
function endWithParent(): void {
  const parent = process.ppid;
  const end = (): void => process.exit(0);
  process.stdin.on("end", end).on("error", end).resume();
  process.stdout.on("error", end);
  setInterval(() => {
    if (process.ppid !== parent) end();
  }, PARENT_CHECK_MS);
}
