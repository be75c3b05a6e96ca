import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Item, ToolResultItem, WorkerSnapshot } from "llm-worker";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FsBlobStore } from "../src/fs-blob-store.js";
import { buildChildProgram, type ChildProgram, startProgram } from "./child-program.js";
import { tempDirectory } from "./temp-directory.js";

/** More for a long look: the suite has to stay short. */
const KILLS = Number(process.env["LLM_WORKER_KILLS"] ?? 12);
const LONGEST_LIFE_MS = 70;

let programs: string;
let run: ChildProgram;

beforeAll(async () => {
  programs = await mkdtemp(join(tmpdir(), "llm-worker-kill-run-"));
  run = await buildChildProgram("snapshotting-run", programs);
});
afterAll(() => rm(programs, { recursive: true, force: true }));

/** Lets the session go on for a moment; says whether it came to its end. */
async function liveFor(directory: string, milliseconds: number): Promise<"done" | "killed"> {
  const program = startProgram(run, directory);
  let isDone = false;
  for await (const line of program.lines) {
    if (line === "ready") void sleep(milliseconds).then(() => program.process.kill("SIGKILL"));
    if (line === "done") isDone = true;
  }
  const { code, signal } = await program.ended;
  if (!isDone && signal !== "SIGKILL") throw new Error(`the run ended with ${code}`);
  return isDone ? "done" : "killed";
}

async function calls(directory: string): Promise<{ begun: string[]; finished: string[] }> {
  const log = await readFile(join(directory, "calls.log"), "utf8").catch(() => "");
  const lines = log.split("\n").map((line) => line.split(" "));
  const of = (what: string): string[] =>
    lines.filter(([word]) => word === what).map(([, callId]) => callId ?? "");
  return { begun: of("begun"), finished: of("finished") };
}

function isResult(item: Item): item is ToolResultItem {
  return item.type === "tool_result";
}

test(
  "a run that is killed at any moment goes on, and no tool that had finished runs again",
  async () => {
    let kills = 0;
    let sessions = 0;
    while (kills < KILLS) {
      const directory = await tempDirectory();
      sessions += 1;
      for (let life = 1; ; life += 1) {
        const before = await calls(directory);
        // Longer and longer: on a machine so slow that a step outlives all lives nothing would end.
        const lifeMs = ((life * 17 + sessions * 7) % LONGEST_LIFE_MS) * (1 + life / 20);
        const outcome = await liveFor(directory, lifeMs);
        const after = await calls(directory);
        const begunNow = after.begun.slice(before.begun.length);
        expect(begunNow.filter((callId) => before.finished.includes(callId))).toEqual([]);
        if (outcome === "done") break;
        kills += 1;
      }
      const text = await readFile(join(directory, "snapshot.json"), "utf8");
      const { items } = JSON.parse(text) as WorkerSnapshot;
      const results = items.filter(isResult);
      expect(results.map(({ callId }) => callId)).toEqual(
        [0, 1, 2, 3, 4].flatMap((turn) => [0, 1, 2].map((call) => `t${turn}_${call}`)),
      );
      const store = new FsBlobStore(directory);
      for (const { callId, blob } of results) {
        expect(await store.load(blob?.id ?? "")).toMatchObject({
          text: `output of ${callId}\n`.repeat(200),
        });
      }
    }
  },
  KILLS * 5_000,
);
