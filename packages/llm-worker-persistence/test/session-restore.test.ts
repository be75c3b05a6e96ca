import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildChildProgram, type ChildProgram, runProgram } from "./child-program.js";

/** A hundred is 10,000 items, for a look by hand. */
const RUNS = Number(process.env["LLM_WORKER_SESSION_LENGTH"] ?? 8);

let directory: string;
let measureRestore: ChildProgram;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "llm-worker-restore-"));
  measureRestore = await buildChildProgram("measure-restore", directory);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test(
  "a long session is restored in memory that follows from its length",
  async () => {
    const measure = async (mode: string): Promise<{ itemCount: number; grown: number }> => {
      const [line = ""] = await runProgram(measureRestore, directory, mode, String(RUNS));
      if (process.env["LLM_WORKER_SESSION_LENGTH"] !== undefined) console.log(mode, line);
      return JSON.parse(line) as { itemCount: number; grown: number };
    };
    const written = await measure("write");
    const restored = await measure("restore");
    expect([written.itemCount, restored.itemCount]).toEqual([RUNS * 100, RUNS * 100]);
    const { size } = await stat(join(directory, "sessions", "long", "log.jsonl"));
    expect(restored.grown).toBeLessThan(32 * 1024 * 1024 + 8 * size);
  },
  30_000 + RUNS * 1000,
);
