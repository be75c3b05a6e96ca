import { once } from "node:events";
import { createReadStream } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { createInspectTool, type InspectAnswer } from "llm-worker";
import { FsBlobStore } from "llm-worker-persistence";
import { serveCalls } from "../harness/child.js";
import { measureUsage } from "../harness/usage.js";
import type { Place } from "./corpus.js";
import { measureReads, type ReadFigures } from "./reads.js";

/** What a child is asked to read. */
export interface ReadTask {
  readonly id: string;
  /** Of its payload. */
  readonly path: string;
  readonly places: readonly Place[];
}

/** What a child is asked to look for. */
export interface FindTask extends ReadTask {
  readonly word: string;
}

const SCAN_READ_BYTES = 262_144;

type Ask = (selector: string) => Promise<InspectAnswer>;

/** The tool as the model calls it, without the worker around it. */
function askInspect({ path, id }: ReadTask): Ask {
  const tool = createInspectTool({ store: openStore(path) });
  const { signal } = new AbortController();
  // The tool's answer is typed only where it is made.
  return async (selector) =>
    (await tool.execute({ blob_id: id, selector }, { callId: "1", signal })) as InspectAnswer;
}

function openStore(path: string): FsBlobStore {
  return new FsBlobStore(dirname(dirname(path)));
}

async function inspect(task: ReadTask): Promise<ReadFigures> {
  const ask = askInspect(task);
  return measureReads(task.places, async ({ selector }) => payloadOf(await ask(selector)));
}

function payloadOf({ text, isError }: InspectAnswer): string {
  if (isError) throw new Error(text);
  return text.slice(text.indexOf("\n") + 1);
}

/** Who knows where the answer lies reads just that. */
async function readRange({ path, places }: ReadTask): Promise<ReadFigures> {
  return measureReads(places, async ({ start, end, answer }) => {
    const file = await open(path);
    try {
      const { buffer } = await file.read(Buffer.allocUnsafe(end - start), 0, end - start, start);
      const text = buffer.toString("utf8");
      return answer.startsWith("[") ? `[${text}]` : text;
    } finally {
      await file.close();
    }
  });
}

async function readByLines({ path, places }: ReadTask): Promise<ReadFigures> {
  return measureReads(places, async ({ first, count }) => {
    const lines: string[] = [];
    const input = createReadStream(path);
    let n = 0;
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      if (n >= first) lines.push(`${line}\n`);
      n += 1;
      if (lines.length === count) break;
    }
    input.destroy();
    if (!input.closed) await once(input, "close");
    return lines.join("");
  });
}

async function parseWhole({ path, places }: ReadTask): Promise<ReadFigures> {
  return measureReads(places, async ({ selector, first, count }) => {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    if (Array.isArray(value)) return JSON.stringify(value.slice(first, first + count));
    const key = selector.slice("key:".length);
    return JSON.stringify((value as Readonly<Record<string, unknown>>)[key]);
  });
}

/** Looks for a word with `find:`. */
async function find({ word, ...task }: FindTask): Promise<ReadFigures> {
  const ask = askInspect(task);
  const { result, usage } = await measureUsage(() => ask(`find:${word}`));
  if (!payloadOf(result).includes(word)) throw new Error(result.text);
  return scanFigures(usage);
}

/** One scan: all of the file in pieces, each searched. */
async function scan({ path, word }: FindTask): Promise<ReadFigures> {
  const needle = Buffer.from(word);
  const { result, usage } = await measureUsage(async () => {
    const file = await open(path);
    const piece = Buffer.allocUnsafe(SCAN_READ_BYTES);
    let count = 0;
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, piece.length);
      if (bytesRead === 0) break;
      const bytes = piece.subarray(0, bytesRead);
      for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + 1)) count++;
    }
    await file.close();
    return count;
  });
  if (result !== 1) throw new Error(`the word was found ${result} times`);
  return scanFigures(usage);
}

async function findByLines({ path, word }: FindTask): Promise<ReadFigures> {
  const { result, usage } = await measureUsage(async () => {
    let count = 0;
    for await (const line of createInterface({ input: createReadStream(path) })) {
      if (line.includes(word)) count += 1;
    }
    return count;
  });
  if (result !== 1) throw new Error(`the word was found ${result} times`);
  return scanFigures(usage);
}

interface ScanUsage {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly addedRssMb: number;
}

function scanFigures({ wallMs, cpuMs, addedRssMb }: ScanUsage): ReadFigures {
  return { "ms, scan": wallMs, "CPU ms, scan": cpuMs, "added RSS MB, scan": addedRssMb };
}

/** Opens a blob that nothing is known of: its index is made. */
async function makeIndex({ path, id }: ReadTask): Promise<ReadFigures> {
  const { usage } = await measureUsage(async () => {
    const reader = await openStore(path).openReader(id);
    if (reader.index === undefined) throw new Error("no index was made");
    await reader.close();
  });
  return scanFigures(usage);
}

/** All of the file in pieces, and nothing done with them. */
async function readAll({ path }: ReadTask): Promise<ReadFigures> {
  const { usage } = await measureUsage(async () => {
    const file = await open(path);
    const piece = Buffer.allocUnsafe(SCAN_READ_BYTES);
    while ((await file.read(piece, 0, piece.length)).bytesRead > 0);
    await file.close();
  });
  return scanFigures(usage);
}

serveCalls({
  inspect,
  readRange,
  readByLines,
  parseWhole,
  find,
  scan,
  findByLines,
  makeIndex,
  readAll,
});
