import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, open, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FsBlobStore } from "../src/fs-blob-store.js";
import { buildChildProgram, type ChildProgram } from "./child-program.js";
import { tempDirectory } from "./temp-directory.js";

let programs: string;
let cli: ChildProgram;

beforeAll(async () => {
  programs = await mkdtemp(join(tmpdir(), "llm-worker-cli-"));
  cli = await buildChildProgram("cli", programs);
});
afterAll(() => rm(programs, { recursive: true, force: true }));

function start(...args: readonly string[]): ReturnType<typeof spawn> {
  return spawn(process.execPath, [cli.path, ...args], { stdio: "pipe" });
}

test("the exit code is that of the process", async () => {
  const directory = await tempDirectory();
  for (const [args, expected] of [
    [["--help"], 0],
    [["--store", directory, "stat", "x"], 1],
    [["what"], 2],
  ] as const) {
    const [code] = (await once(start(...args), "close")) as [number];
    expect(code).toBe(expected);
  }
});

test("a reader that has seen enough ends it without an error", async () => {
  const directory = await tempDirectory();
  const id = await new FsBlobStore(directory).store({ type: "text", text: "line\n".repeat(1e6) });
  const child = start("--store", directory, "walk", id);
  child.stdout?.once("data", () => child.stdout?.destroy());
  const [err, [code]] = await Promise.all([
    child.stderr ? text(child.stderr) : "",
    once(child, "close") as Promise<[number]>,
  ]);
  expect([code, err]).toEqual([0, ""]);
});

test.skipIf(!existsSync("/dev/full"))("an output that cannot be written is told", async () => {
  const full = await open("/dev/full", "w");
  const args = [cli.path, "--help"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", full.fd, "pipe"] });
  const [err, [code]] = await Promise.all([
    child.stderr ? text(child.stderr) : "",
    once(child, "close") as Promise<[number]>,
  ]);
  await full.close();
  expect(code).toBe(1);
  expect(err).toMatch(/^llm-worker-blobs: standard output cannot be written: ENOSPC.*\n$/);
});

test("an interrupt leaves nothing of what was being stored", async () => {
  const directory = await tempDirectory();
  const child = start("--store", directory, "put", "-");
  const stderr = child.stderr ? text(child.stderr) : "";
  child.stdin?.write("the beginning");
  while (!(await readdir(directory)).includes("blobs")) await new Promise(setImmediate);
  while ((await readdir(join(directory, "blobs"))).length === 0) await new Promise(setImmediate);
  child.kill("SIGINT");
  const [code] = (await once(child, "close")) as [number];
  expect([code, await stderr]).toEqual([1, "llm-worker-blobs: ended by SIGINT\n"]);
  expect(await readdir(join(directory, "blobs"))).toEqual([]);
});
