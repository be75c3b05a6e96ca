import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Item, ToolResultItem } from "llm-worker";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FsBlobStore } from "../src/fs-blob-store.js";
import { FsSessionStore } from "../src/session/fs-session-store.js";
import { Session } from "../src/session/session.js";
import { buildChildProgram, type ChildProgram, startProgram } from "./child-program.js";
import { tempDirectory } from "./temp-directory.js";

/** More for a long look: the suite has to stay short. */
const KILLS = Number(process.env["LLM_WORKER_KILLS"] ?? 10);
const LONGEST_LIFE_MS = 90;

let programs: string;
let loggedRun: ChildProgram;
let appendLines: ChildProgram;

beforeAll(async () => {
  programs = await mkdtemp(join(tmpdir(), "llm-worker-session-kill-"));
  loggedRun = await buildChildProgram("logged-run", programs);
  appendLines = await buildChildProgram("append-lines", programs);
});
afterAll(() => rm(programs, { recursive: true, force: true }));

/** Lets a program live for a moment after it is ready; gives what it printed since. */
async function liveFor(
  milliseconds: number,
  program: ChildProgram,
  ...args: readonly string[]
): Promise<readonly string[]> {
  const { process: child, lines, ended } = startProgram(program, ...args);
  const printed: string[] = [];
  for await (const line of lines) {
    if (line === "ready") void sleep(milliseconds).then(() => child.kill("SIGKILL"));
    else printed.push(line);
  }
  const { code, signal } = await ended;
  if (code !== 0 && signal !== "SIGKILL") throw new Error(`the program ended with ${code}`);
  return printed;
}

async function calls(directory: string): Promise<{ begun: string[]; finished: string[] }> {
  const log = await readFile(join(directory, "calls.log"), "utf8").catch(() => "");
  const lines = log.split("\n").map((line) => line.split(" "));
  const of = (what: string): string[] =>
    lines.filter(([word]) => word === what).map(([, callId]) => callId ?? "");
  return { begun: of("begun"), finished: of("finished") };
}

function isResult(item: Item | null): item is ToolResultItem {
  return item?.type === "tool_result";
}

/** What the log of the run says so far; it may have been killed before there was one. */
async function logged(
  sessions: FsSessionStore,
): Promise<{ readonly resultIds: readonly string[]; readonly tornByteCount: number }> {
  for await (const { id } of sessions.list()) {
    const { snapshot, tornByteCount } = await Session.open(sessions, id);
    const results = [...snapshot.items, ...(snapshot.openTurn?.results ?? [])].filter(isResult);
    return { resultIds: results.map(({ callId }) => callId), tornByteCount };
  }
  return { resultIds: [], tornByteCount: 0 };
}

test(
  "a run that is killed at any moment goes on from its log, and no finished tool runs again",
  async () => {
    let kills = 0;
    for (let session = 1; kills < KILLS; session += 1) {
      const directory = await tempDirectory();
      const sessions = new FsSessionStore(directory);
      for (let life = 1; ; life += 1) {
        const before = await calls(directory);
        // Longer and longer: on a machine so slow that a step outlives all lives nothing would end.
        const lifeMs = ((life * 23 + session * 7) % LONGEST_LIFE_MS) * (1 + life / 20);
        const printed = await liveFor(lifeMs, loggedRun, directory);
        const after = await calls(directory);
        const begunNow = after.begun.slice(before.begun.length);
        expect(begunNow.filter((callId) => before.finished.includes(callId))).toEqual([]);
        const { resultIds, tornByteCount } = await logged(sessions);
        expect(resultIds).toEqual(expect.arrayContaining(after.finished));
        expect(tornByteCount).toBe(0);
        if (printed.includes("done")) break;
        kills += 1;
      }
      const { snapshot } = await Session.open(sessions, "run");
      const results = snapshot.items.filter(isResult);
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

test(
  "processes that append to one log and are killed leave every acknowledged line whole, in order and once",
  async () => {
    const directory = await tempDirectory();
    const acknowledged: string[] = [];
    for (let life = 0; life < KILLS; life += 2) {
      const printed = await Promise.all(
        ["a", "b"].map((name, i) =>
          liveFor(
            (life * 13 + i * 29) % LONGEST_LIFE_MS,
            appendLines,
            directory,
            `${life}${name}`,
            "9999",
          ),
        ),
      );
      acknowledged.push(...printed.flat());
    }
    const { chunks, tornByteCount } = await new FsSessionStore(directory).read("shared");
    const bytes: Uint8Array[] = [];
    for await (const chunk of chunks) bytes.push(Uint8Array.from(chunk));
    const lines = Buffer.concat(bytes).toString().trimEnd().split("\n");
    expect(tornByteCount).toBe(0);
    expect(lines.every((line) => /^\d+[ab] \d+ x*\.$/.test(line))).toBe(true);
    expect(new Set(lines).size).toBe(lines.length);
    // What a killed process had not yet printed may be there too, once for each life.
    const extra = new Set(lines).size - new Set(acknowledged).size;
    expect(lines).toEqual(expect.arrayContaining(acknowledged));
    expect(extra).toBeLessThanOrEqual(KILLS + 2);
    for (const writer of new Set(lines.map((line) => line.split(" ")[0]))) {
      const numbers = lines
        .filter((line) => line.startsWith(`${writer} `))
        .map((line) => Number(line.split(" ")[1]));
      expect(numbers).toEqual(numbers.map((_, i) => i));
    }
  },
  KILLS * 5_000,
);
