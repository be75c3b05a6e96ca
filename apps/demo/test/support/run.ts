import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startScriptedModel } from "scripted-model";
import { onTestFinished } from "vitest";
import { type DemoIo, runDemo } from "../../src/demo.js";

/** What a run of the demo left behind. */
export interface DemoRun {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs the demo in this process, its model included. */
export async function demo(argv: readonly string[], io: Partial<DemoIo> = {}): Promise<DemoRun> {
  let output = "";
  let errors = "";
  const temporaryDirectory = io.temporaryDirectory ?? (await makeDirectory());
  const exitCode = await runDemo(argv, {
    isTerminal: false,
    env: {},
    currentDirectory: temporaryDirectory,
    startModel: startScriptedModel,
    signal: new AbortController().signal,
    ...io,
    temporaryDirectory,
    write: (text) => {
      output += text;
      io.write?.(text);
    },
    writeError: (text) => {
      errors += text;
    },
  });
  return { exitCode, output, errors };
}

/** A directory that is removed when the test is over. */
export async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "demo-test-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
