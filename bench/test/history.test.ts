import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runBench } from "../src/cli.js";
import { isBuilt, skippedWhen } from "../src/harness/built-script.js";
import { history } from "../src/history/history.js";

test.skipIf(!isBuilt)(
  `npm run bench -- history --quick measures all five wires and finds no fault${skippedWhen}`,
  async () => {
    const directory = await mkdtemp(join(tmpdir(), "bench-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    let printed = "";
    let told = "";
    const code = await runBench(["history", "--quick"], [history], {
      env: {},
      currentDirectory: directory,
      write: (text) => void (printed += text),
      progress: (line) => void (told += `${line}\n`),
    });
    expect(told).toContain("ollama, 40 items");
    expect(code).toBe(0);
    expect(printed).toContain("| locked, gemini, 40");
  },
  60_000,
);
