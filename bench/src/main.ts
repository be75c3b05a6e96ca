import { runBench } from "./cli.js";
import { measures } from "./measures.js";

process.exitCode = await runBench(process.argv.slice(2), measures, {
  env: process.env,
  // npm runs scripts in the package's directory and tells here where it was called.
  currentDirectory: process.env["INIT_CWD"] ?? process.cwd(),
  write: (text) => process.stdout.write(text),
  progress: (line) => process.stderr.write(`${line}\n`),
});
