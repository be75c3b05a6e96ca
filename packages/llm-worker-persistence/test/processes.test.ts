import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FsBlobStore } from "../src/fs-blob-store.js";
import { buildChildProgram, type ChildProgram, runProgram, startProgram } from "./child-program.js";
import { isWhole } from "./children/self-describing-blob.js";
import { tempDirectory } from "./temp-directory.js";

/** More for a long look: the suite has to stay short. */
const KILLS = Number(process.env["LLM_WORKER_KILLS"] ?? 20);
const BLOBS_PER_PROCESS = Number(process.env["LLM_WORKER_BLOBS"] ?? 30);

let programs: string;
let writeBlobs: ChildProgram;
let measureMemory: ChildProgram;

beforeAll(async () => {
  programs = await mkdtemp(join(tmpdir(), "llm-worker-persistence-programs-"));
  writeBlobs = await buildChildProgram("write-blobs", programs);
  measureMemory = await buildChildProgram("measure-memory", programs);
});
afterAll(() => rm(programs, { recursive: true, force: true }));

/** Checks all blobs of a directory; gives their ids. */
async function checkedIds(directory: string): Promise<string[]> {
  const store = new FsBlobStore(directory);
  const ids: string[] = [];
  for await (const { id, byteCount } of store.list()) {
    const content = await store.load(id);
    expect(content.type === "text" && isWhole(content.text)).toBe(true);
    expect((await store.stat(id)).byteCount).toBe(byteCount);
    ids.push(id);
  }
  return ids;
}

/** Has a process store blobs until it has said so of `count`, and kills it; gives what it said. */
async function storedUntilKilled(directory: string, count: number): Promise<string[]> {
  const program = startProgram(writeBlobs, directory, `killed after ${count}`, "1000");
  const acknowledged: string[] = [];
  for await (const id of program.lines) {
    acknowledged.push(id);
    if (acknowledged.length >= count) program.process.kill("SIGKILL");
  }
  expect((await program.ended).signal).toBe("SIGKILL");
  return acknowledged;
}

test(
  "whenever a process is killed, what it said is stored is there and nothing is torn",
  async () => {
    const directory = await tempDirectory();
    const acknowledged: string[] = [];
    for (let kills = 0; kills < KILLS; kills += 2) {
      const count = 1 + ((kills / 2) % 10);
      const two = [storedUntilKilled(directory, count), storedUntilKilled(directory, 11 - count)];
      acknowledged.push(...(await Promise.all(two)).flat());
    }
    expect(await checkedIds(directory)).toEqual(expect.arrayContaining(acknowledged));
    for (const name of await readdir(join(directory, "blobs"))) {
      expect(name).toMatch(/^[0-9a-f-]{36}\.(txt|index)$|^\..+\.tmp$/);
    }
  },
  30_000 + KILLS * 1000,
);

test(
  "several processes store into one directory at the same time without loss",
  async () => {
    const directory = join(await tempDirectory(), "made", "by", "whoever", "is", "first");
    const printed = await Promise.all(
      ["a", "b", "c"].map((name) =>
        runProgram(writeBlobs, directory, name, String(BLOBS_PER_PROCESS)),
      ),
    );
    expect(await checkedIds(directory)).toEqual(printed.flat().toSorted());
    const left = (await readdir(join(directory, "blobs"))).filter((name) => name.startsWith("."));
    expect(left).toEqual([]);
  },
  30_000 + BLOBS_PER_PROCESS * 100,
);

test.each(["string", "stream"])("a %s of 64 MiB is stored in much less memory", async (way) => {
  const [grown] = await runProgram(measureMemory, await tempDirectory(), way, "64");
  expect(Number(grown)).toBeLessThan(24 * 1024 * 1024);
});
