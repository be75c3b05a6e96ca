import * as fs from "node:fs/promises";
import { join } from "node:path";
import { readBlob } from "llm-worker";
import { afterEach, expect, test } from "vitest";
import { failingFileSystem } from "../test/failing-file-system.js";
import { tempDirectory } from "../test/temp-directory.js";
import { FsBlobStore } from "./fs-blob-store.js";
import { allByteValues, binary, text } from "./testing/samples.js";

/** Names of the operations of a store on files, `handle.` for those on open ones, with the file. */
let operations: string[] = [];
afterEach(() => {
  operations = [];
});

function watchedStore(directory: string): FsBlobStore {
  const fileSystem = failingFileSystem(({ name, path }) => {
    operations.push(`${name} ${path.slice(path.lastIndexOf("."))}`);
    return undefined;
  });
  return new FsBlobStore(directory, { fileSystem });
}

const log = (lineCount: number): string =>
  Array.from({ length: lineCount }, (_, n) => `line ${n} of a log\n`).join("");

test("of a blob that was read before an answer reads the payload once, whatever its size", async () => {
  const directory = await tempDirectory();
  const seen: string[][] = [];
  for (const lineCount of [20_000, 400_000]) {
    const store = watchedStore(directory);
    const id = await store.store(text(log(lineCount)));
    await readBlob(store, id);
    operations = [];
    const answer = await readBlob(store, id, `lines:${lineCount - 99}-${lineCount - 70}`);
    expect(answer.isError).toBe(false);
    seen.push(operations.filter((operation) => !operation.startsWith("lstat")).toSorted());
  }
  const once = ["handle.close .txt", "handle.read .txt", "handle.stat .txt", "handle.stat .txt"];
  expect(seen).toEqual([
    [...once, "open .txt"],
    [...once, "open .txt"],
  ]);
});

test("a blob that another store has deleted is not found, though its index is remembered", async () => {
  const directory = await tempDirectory();
  const store = new FsBlobStore(directory);
  const id = await store.store(text(log(20_000)));
  const reader = await store.openReader(id);
  await new FsBlobStore(directory).delete(id);
  await expect(reader.read(0, 10)).rejects.toMatchObject({ code: "not_found" });
  await reader.close();
  await expect(store.openReader(id)).rejects.toMatchObject({ code: "not_found" });
  await expect(store.stat(id)).rejects.toMatchObject({ code: "not_found" });
});

test("what is remembered of a file is not said of another one in its place", async () => {
  const directory = await tempDirectory();
  const store = new FsBlobStore(directory);
  const id = await store.store(text("a\nb\nc\n"));
  expect(await store.stat(id)).toMatchObject({ lineCount: 3 });
  const path = join(directory, "blobs", `${id}.txt`);
  await fs.writeFile(`${path}.new`, "abcde\n");
  await fs.rename(`${path}.new`, path);
  expect(await store.stat(id)).toMatchObject({ lineCount: 1 });
});

test("more indexes than are remembered are read again, each right", async () => {
  const directory = await tempDirectory();
  const store = new FsBlobStore(directory, { durability: "none" });
  const blobs: [string, number][] = [];
  for (let n = 1; n <= 40; n++) {
    const lineCount = 100_000 + n;
    blobs.push([await store.store(text("a\n\n\n".repeat(lineCount))), lineCount * 3]);
  }
  for (const [id, lineCount] of [...blobs, ...blobs]) {
    const reader = await store.openReader(id);
    expect(reader.stat.lineCount).toBe(lineCount);
    expect(reader.index).toBeDefined();
    await reader.close();
  }
});

test("a blob that is published between the looks for its two files is described by its sidecar", async () => {
  const directory = await tempDirectory();
  const id = await new FsBlobStore(directory).store(binary(allByteValues(), "image/png"));
  let looks = 0;
  const fileSystem = failingFileSystem(({ name, path }) =>
    name === "open" && path.endsWith(".index") && looks++ === 0 ? "ENOENT" : undefined,
  );
  const store = new FsBlobStore(directory, { fileSystem });
  expect(await store.stat(id)).toMatchObject({ mediaType: "image/png" });
  expect(looks).toBe(2);
});
