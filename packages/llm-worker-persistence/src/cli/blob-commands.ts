import { open } from "node:fs/promises";
import { addAbortSignal } from "node:stream";
import { type BlobAnswer, readBlob } from "llm-worker";
import type { BlobStat, BlobWriter } from "llm-worker/blob";
import type { Command } from "./parse-command.js";
import { openStore } from "./open-store.js";
import { formatBytes, Progress } from "./progress.js";
import { print, type Terminal } from "./terminal.js";
import { CommandError } from "./usage.js";

type Of<Name extends Command["name"]> = Extract<Command, { name: Name }>;

/** Fewer and longer answers than a model gets: the payloads in a row are the same. */
const WALK_ANSWER_BYTES = 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;

/** Stores a file or standard input and prints its id. */
export async function put(command: Of<"put">, terminal: Terminal): Promise<void> {
  const { signal } = terminal;
  const store = await openStore(command, "write");
  const source = command.file === "-" ? stdinOf(terminal) : await fileOf(command.file);
  const progress = new Progress(terminal, "storing");
  let writer: BlobWriter | undefined;
  try {
    writer = await store.openWriter({ mediaType: command.mediaType, signal });
    let byteCount = 0;
    for await (const chunk of source.chunks) {
      await writer.write(chunk);
      byteCount += chunk.length;
      progress.show(byteCount, source.byteCount, formatBytes);
    }
    const { id, stat } = await writer.commit();
    progress.clear();
    await print(terminal, command.json ? `${JSON.stringify({ id, ...stat })}\n` : `${id}\n`);
  } catch (error) {
    progress.clear();
    await writer?.abort().catch(() => undefined);
    throw error;
  }
}

/** Prints a line for each blob. */
export async function ls(command: Of<"ls">, terminal: Terminal): Promise<void> {
  const store = await openStore(command, "read");
  let separator = "";
  if (command.json) await print(terminal, "[");
  for await (const entry of store.list()) {
    const { id, byteCount, storedAtMs } = entry;
    const line = command.json
      ? `${separator}\n${JSON.stringify(entry)}`
      : `${id}  ${String(byteCount).padStart(12)}  ${new Date(storedAtMs).toISOString()}\n`;
    await print(terminal, line);
    separator = ",";
  }
  if (command.json) await print(terminal, "\n]\n");
}

/** Prints what is known of a blob. */
export async function stat(command: Of<"stat">, terminal: Terminal): Promise<void> {
  const { id, json } = command;
  const known: BlobStat = await (await openStore(command, "read")).stat(id);
  const facts = Object.entries({ id, ...known });
  await print(
    terminal,
    json
      ? `${JSON.stringify(Object.fromEntries(facts))}\n`
      : facts.map(([name, value]) => `${name.padEnd(10)}  ${String(value)}\n`).join(""),
  );
}

/** Prints the answer that a model would get. */
export async function inspect(command: Of<"inspect">, terminal: Terminal): Promise<void> {
  const { id, selector, raw, json, maxAnswerBytes } = command;
  const { signal } = terminal;
  const store = await openStore(command, "read");
  const answer = await readBlob(store, id, selector, { maxAnswerBytes, signal });
  if (json) {
    const { text, header, next, isError, code } = answer;
    await print(terminal, `${JSON.stringify({ id, isError, code, header, next, text })}\n`);
    if (answer.isError) throw new CommandError("");
    return;
  }
  assertAnswered(answer);
  await print(terminal, raw ? answer.payload : `${answer.text}\n`);
}

/** Writes a whole blob, as a model would see it that follows every `next:`. */
export async function walk(command: Of<"walk">, terminal: Terminal): Promise<void> {
  const { id, maxAnswerBytes = WALK_ANSWER_BYTES } = command;
  const { signal } = terminal;
  const store = await openStore(command, "read");
  const { byteCount } = await store.stat(id);
  const progress = new Progress(terminal, "reading");
  let done = 0;
  let selector: string | undefined = "";
  try {
    while (selector !== undefined) {
      const answer: BlobAnswer = await readBlob(store, id, selector, { maxAnswerBytes, signal });
      assertAnswered(answer);
      await print(terminal, answer.payload);
      done += answer.payload.length;
      progress.show(done, byteCount, formatBytes);
      selector = answer.next;
    }
  } finally {
    progress.clear();
  }
}

function assertAnswered(answer: BlobAnswer): void {
  if (answer.isError) throw new CommandError(answer.text, { cause: answer.cause });
}

interface Source {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly byteCount: number | undefined;
}

function stdinOf({ stdin, signal }: Terminal): Source {
  // Nothing may ever come.
  if (signal !== undefined) addAbortSignal(signal, stdin);
  return { chunks: stdin as AsyncIterable<Uint8Array>, byteCount: undefined };
}

async function fileOf(path: string): Promise<Source> {
  try {
    const file = await open(path);
    const stats = await file.stat();
    if (stats.isDirectory()) {
      await file.close();
      throw new CommandError(`${path} is a directory: put takes a file`);
    }
    // The stream closes the file at its end, and when its reader leaves.
    return {
      chunks: file.createReadStream({ highWaterMark: CHUNK_BYTES }),
      byteCount: stats.isFile() ? stats.size : undefined,
    };
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${path} cannot be read: ${String(error)}`, { cause: error });
  }
}
