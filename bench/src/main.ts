import type { BenchContext } from "./bench-context.js";
import { runEconomy } from "./economy/economy.js";

const benches: Readonly<
  Record<string, (args: readonly string[], context: BenchContext) => Promise<number>>
> = { economy: runEconomy };

const USAGE = `npm run bench -- economy [--json FILE] [--quick]

economy   what each profile and policy would send on recorded sessions
`;

const [name = "", ...args] = process.argv.slice(2);
const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
if (bench === undefined) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  try {
    process.exitCode = await bench(args, {
      env: process.env,
      // npm runs scripts in the package's directory and tells here where it was called.
      currentDirectory: process.env["INIT_CWD"] ?? process.cwd(),
      write: (text) => process.stdout.write(text),
    });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
