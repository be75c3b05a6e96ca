import { inspect, ls, put, stat, walk } from "./blob-commands.js";
import { gc } from "./gc-command.js";
import { type Command, parseCommand } from "./parse-command.js";
import { print, type Terminal } from "./terminal.js";
import { HELP, PROGRAM, UsageError } from "./usage.js";

/** 0 done, 1 not found or refused, 2 wrong usage. */
export type ExitCode = 0 | 1 | 2;

/** Runs one command line. What goes wrong is told on standard error, not thrown. */
export async function run(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    await runCommand(parseCommand(args), terminal);
    return 0;
  } catch (thrown) {
    const { signal } = terminal;
    // Whatever failed, failed because of that.
    const error: unknown = signal?.aborted === true ? signal.reason : thrown;
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof UsageError) {
      terminal.stderr.write(`${PROGRAM}: ${message}\nSee ${PROGRAM} --help\n`);
      return 2;
    }
    if (message !== "") terminal.stderr.write(`${PROGRAM}: ${message}\n`);
    return 1;
  }
}

function runCommand(command: Command, terminal: Terminal): Promise<void> {
  switch (command.name) {
    case "help":
      return print(terminal, HELP);
    case "put":
      return put(command, terminal);
    case "ls":
      return ls(command, terminal);
    case "stat":
      return stat(command, terminal);
    case "inspect":
      return inspect(command, terminal);
    case "walk":
      return walk(command, terminal);
    case "gc":
      return gc(command, terminal);
  }
}
