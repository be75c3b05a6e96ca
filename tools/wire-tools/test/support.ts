import type { CommandIo } from "../src/command.js";

/** What a command printed and how it ended. */
export interface CommandRun {
  readonly exitCode: number;
  readonly printed: string;
  readonly complained: string;
}

/** Runs a command on a made-up file and standard input. */
export async function run(
  command: (args: readonly string[], io: CommandIo) => Promise<number>,
  args: readonly string[],
  input: { readonly file?: string; readonly stdin?: string } = {},
): Promise<CommandRun> {
  const printed: string[] = [];
  const complained: string[] = [];
  const exitCode = await command(args, {
    readFile: (path) => {
      if (input.file === undefined) throw new Error(`no such file: ${path}`);
      return Buffer.from(input.file);
    },
    readInput: async () => input.stdin ?? "",
    print: (line) => {
      printed.push(line);
    },
    complain: (line) => {
      complained.push(line);
    },
  });
  return { exitCode, printed: printed.join("\n"), complained: complained.join("\n") };
}
