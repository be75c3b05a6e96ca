import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FsBlobStore } from "../src/fs-blob-store.js";
import { buildChildProgram, type ChildProgram, runProgram } from "./child-program.js";

/** Mebibytes of the log; 1024 takes minutes and is for a look by hand. The JSON has half of it. */
const LARGE_MIB = Number(process.env["LLM_WORKER_LARGE_MIB"] ?? 12);
const MIB = 1024 * 1024;
/** What an answer may cost beyond its own bytes. */
const MAX_EXTRA_BYTES = 256 * 1024;
const MAX_GROWN_BYTES = 32 * MIB;

interface Measured {
  readonly selector: string;
  readonly isError: boolean;
  readonly bytesRead: number;
  readonly payloadBytes: number;
  readonly milliseconds: number;
  readonly grown: number;
}

interface Stored {
  readonly id: string;
  readonly sha256: string;
  readonly count: number;
}

let directory: string;
let measureInspect: ChildProgram;
let cli: ChildProgram;
let smallId: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "llm-worker-large-"));
  measureInspect = await buildChildProgram("measure-inspect", directory);
  cli = await buildChildProgram("cli", directory);
  smallId = await new FsBlobStore(directory).store({ type: "text", text: "small\n" });
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Stores so many pieces of about 1 MiB, each of so many parts. */
async function storeLarge(
  pieceCount: number,
  partOf: (n: number) => string,
  [begin, between, end]: readonly [string, string, string],
): Promise<Stored> {
  const writer = await new FsBlobStore(directory, { durability: "none" }).openWriter();
  const hash = createHash("sha256");
  const write = async (text: string): Promise<void> => {
    const bytes = Buffer.from(text);
    hash.update(bytes);
    await writer.write(bytes);
  };
  let count = 0;
  await write(begin);
  for (let piece = 0; piece < pieceCount; piece += 1) {
    const parts: string[] = [];
    for (let length = 0; length < MIB; count += 1) {
      const part = (count === 0 ? "" : between) + partOf(count);
      length += part.length;
      parts.push(part);
    }
    await write(parts.join(""));
  }
  await write(end);
  return { id: (await writer.commit()).id, sha256: hash.digest("hex"), count };
}

async function measure(id: string, ...selectors: readonly string[]): Promise<readonly Measured[]> {
  const lines = await runProgram(measureInspect, directory, id, smallId, ...selectors);
  const measured = lines.map((line) => JSON.parse(line) as Measured);
  if (process.env["LLM_WORKER_LARGE_MIB"] !== undefined) console.table(measured);
  return measured;
}

function expectBounded(measured: readonly Measured[]): void {
  expect(measured.filter(({ isError }) => isError)).toEqual([]);
  for (const { bytesRead, payloadBytes, grown } of measured) {
    expect(bytesRead - payloadBytes).toBeLessThanOrEqual(MAX_EXTRA_BYTES);
    expect(grown).toBeLessThanOrEqual(MAX_GROWN_BYTES);
  }
}

/** What `walk` writes, as a hash: it may be more than fits into memory. */
async function walkedHash(id: string): Promise<string> {
  const child = spawn(process.execPath, [cli.path, "--store", directory, "walk", id], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const hash = createHash("sha256");
  for await (const chunk of child.stdout) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

const logLine = (n: number): string =>
  `2024-01-01T00:00:00Z INFO request ${n} took ${n % 977} ms\n`;
const element = (n: number): string =>
  JSON.stringify({ id: n, name: `name ${n}`, tags: ["a", "é"] });
const member = (n: number): string =>
  `"key ${n}":[${Array.from({ length: 1000 }, (_, i) => element(i)).join(",")}]`;

describe("a blob of any size is read in parts that cost no more than they hold", () => {
  test(
    "a log",
    async () => {
      const { id, sha256, count } = await storeLarge(LARGE_MIB, logLine, ["", "", ""]);
      const n = count - 100;
      expectBounded(
        await measure(id, "", `lines:${n}-${n + 30}`, `lines:${count >> 1}-${count >> 1}`),
      );
      expect(await walkedHash(id)).toBe(sha256);
    },
    60_000 + LARGE_MIB * 500,
  );

  test(
    "a JSON array",
    async () => {
      const { id, sha256, count } = await storeLarge(LARGE_MIB / 2, element, ["[", ",", "]"]);
      const k = count - 10;
      expectBounded(
        await measure(id, "", `slice:${k}..${k + 5}`, `slice:${k}..${k + 1} | key:name`),
      );
      expect(await walkedHash(id)).toBe(sha256);
    },
    60_000 + LARGE_MIB * 500,
  );

  test(
    "a JSON object of large members",
    async () => {
      const { id, sha256, count } = await storeLarge(LARGE_MIB / 2, member, ["{", ",", "}"]);
      expectBounded(
        await measure(id, "", `key:"key ${count - 3}"`, `key:"key ${count >> 1}" | slice:990..995`),
      );
      expect(await walkedHash(id)).toBe(sha256);
    },
    60_000 + LARGE_MIB * 500,
  );
});
