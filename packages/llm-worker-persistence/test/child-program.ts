import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "vite";

/** A program that runs in a process of its own, as one file of plain JavaScript. */
export interface ChildProgram {
  readonly path: string;
}

/** Builds `test/children/NAME.ts` from the sources, into `outDirectory`. */
export async function buildChildProgram(name: string, outDirectory: string): Promise<ChildProgram> {
  await build({
    configFile: false,
    logLevel: "silent",
    build: {
      ssr: fileURLToPath(new URL(`./children/${name}.ts`, import.meta.url)),
      outDir: outDirectory,
      emptyOutDir: false,
      rollupOptions: { output: { entryFileNames: `${name}.mjs` } },
    },
    ssr: { noExternal: true, resolve: { conditions: ["@llm-worker/source", "node"] } },
  });
  return { path: join(outDirectory, `${name}.mjs`) };
}

/** A running program and the lines that it prints. */
export interface RunningProgram {
  readonly process: ChildProcess;
  readonly lines: AsyncIterable<string>;
  /** Resolves when it has ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

/** Starts a program with its own process id. What it prints to stderr is shown. */
export function startProgram(program: ChildProgram, ...args: readonly string[]): RunningProgram {
  const child = spawn(process.execPath, [program.path, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return {
    process: child,
    lines: createInterface({ input: child.stdout }),
    ended: new Promise((resolve) => {
      child.on("close", (code, signal) => resolve({ code, signal }));
    }),
  };
}

/** Runs a program to its end and gives what it printed. */
export async function runProgram(
  program: ChildProgram,
  ...args: readonly string[]
): Promise<string[]> {
  const { lines, ended } = startProgram(program, ...args);
  const printed: string[] = [];
  for await (const line of lines) printed.push(line);
  const { code } = await ended;
  if (code !== 0) throw new Error(`the program ended with ${code}`);
  return printed;
}
