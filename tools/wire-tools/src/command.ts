import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";

/** Exit codes of both commands. */
export const EXIT = {
  done: 0,
  /** The file cannot be read, or the request cannot be said on this wire. */
  failed: 1,
  /** The command was not called as it wants to be. */
  usage: 2,
} as const;

/** What a command reads from and writes to; tests bring their own. */
export interface CommandIo {
  readonly readFile: (path: string) => Uint8Array;
  readonly readInput: () => Promise<string>;
  readonly print: (line: string) => void;
  readonly complain: (line: string) => void;
}

/** The process's own. */
export const processIo: CommandIo = {
  readFile: (path) => readFileSync(path),
  readInput: () => text(process.stdin),
  print: (line) => process.stdout.write(`${line}\n`),
  complain: (line) => process.stderr.write(`${line}\n`),
};

/** The command was called wrongly; the message says how. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Runs a command, and says in words and in the exit code how it ended. */
export async function runCommand(
  name: string,
  help: string,
  io: CommandIo,
  command: () => Promise<void>,
): Promise<number> {
  try {
    await command();
    return EXIT.done;
  } catch (thrown) {
    const isUsage = thrown instanceof UsageError || isArgumentError(thrown);
    io.complain(`${name}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    if (isUsage) io.complain(usageOf(help));
    return isUsage ? EXIT.usage : EXIT.failed;
  }
}

/** Whether `parseArgs` refused the arguments. */
function isArgumentError(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || !("code" in thrown)) return false;
  return String(thrown.code).startsWith("ERR_PARSE_ARGS_");
}

/** The first paragraph of a help text. */
function usageOf(help: string): string {
  return help.slice(0, help.indexOf("\n\n"));
}
