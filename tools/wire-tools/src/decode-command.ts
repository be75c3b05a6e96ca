import { basename, extname } from "node:path";
import { parseArgs } from "node:util";
import { type CommandIo, processIo, runCommand, UsageError } from "./command.js";
import { decodeAnswer, type RecordedAnswer } from "./decode-answer.js";
import { toWire } from "./wires.js";

const HELP = `usage: node tools/wire-decode.mjs WIRE FILE [--status N] [--header "NAME: VALUE"]... [--split N]

Prints, as JSON, what the recorded body of an answer comes to: the form of the files
NAME.expected.json beside the recordings, as far as it is known from the bytes, and for failures
in llmError what the library makes of them.

  WIRE      anthropic, openai-chat, openai-responses, gemini or ollama
  FILE      the body as it was received; "-" reads standard input. One JSON document is decoded as
            a single answer, anything else as a stream; .sse and .ndjson are always streams.
  --status  the answer's HTTP status, default 200; from 400 on the body is an error answer
  --header  a header of the answer, such as "retry-after: 7"; may be given again. A date in
            retry-after is measured from the date header.
  --split   feeds the body in pieces of N bytes, which must change nothing

Exit code: 0 decoded, whatever the outcome; 1 the file cannot be read; 2 wrong usage.
It needs a build: npm run build`;

/** The command `tools/wire-decode.mjs`. Resolves to its exit code. */
export function decodeCommand(args: readonly string[], io: CommandIo = processIo): Promise<number> {
  return runCommand("wire-decode", HELP, io, async () => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        status: { type: "string" },
        header: { type: "string", multiple: true, default: [] },
        split: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
    if (values.help === true) {
      io.print(HELP);
      return;
    }
    const [wireName, file, ...more] = positionals;
    const wire = toWire(wireName);
    if (file === undefined) throw new UsageError("FILE is missing");
    if (more.length > 0) throw new UsageError(`one FILE at a time, not also ${more.join(", ")}`);
    const outcome = decodeAnswer({
      wire,
      status: toNumber("--status", values.status, 100),
      headers: toHeaders(values.header),
      pieceBytes: toNumber("--split", values.split, 1),
      body: file === "-" ? Buffer.from(await io.readInput()) : io.readFile(file),
      form: FORM_OF_ENDING[extname(file)],
    });
    const { format, wire: _wire, ...rest } = outcome;
    io.print(JSON.stringify({ format, wire, file: basename(file), ...rest }, undefined, 1));
  });
}

const FORM_OF_ENDING: Readonly<Record<string, RecordedAnswer["form"]>> = {
  ".sse": "stream",
  ".ndjson": "stream",
};

function toNumber(option: string, text: string | undefined, min: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= min) return value;
  throw new UsageError(
    `${option} wants a whole number from ${min} on, not ${JSON.stringify(text)}`,
  );
}

function toHeaders(lines: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      if (colon < 1) {
        throw new UsageError(`--header wants "name: value", not ${JSON.stringify(line)}`);
      }
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}
