import * as fs from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { tempDirectory } from "../test/temp-directory.js";
import { ABANDONED_AFTER_MS } from "./atomic-write.js";
import { DirectoryFileBackend } from "./directory-file-backend.js";
import { type FileSystem, nodeFileSystem } from "./file-system.js";
import { removeAbandonedFiles } from "./fs-abandoned.js";
import { FsBlobStore } from "./fs-blob-store.js";
import { createBlobId } from "./blob-id.js";
import { largeText, text } from "./testing/samples.js";

async function directoryWithRemains() {
  const root = await tempDirectory();
  const directory = join(root, "blobs");
  const id = await new FsBlobStore(root).store(text(largeText()));
  const remains = [`.${crypto.randomUUID()}.tmp`, `${createBlobId()}.index`];
  const others = ["notes.tmp", ".notes.tmp", `.notes-${crypto.randomUUID()}.tmp`];
  for (const name of [...remains, ...others]) await fs.writeFile(join(directory, name), "");
  const kept = [`${id}.index`, `${id}.txt`, ...others].toSorted();
  return { root, directory, remains, kept };
}

/** The file system as it is `ageMs` after these files were last changed. */
function withOldFiles(directory: string, names: readonly string[], ageMs: number): FileSystem {
  const old = names.map((name) => join(directory, name));
  const lstat = async (path: string) => {
    const stats = await fs.lstat(path);
    if (old.includes(path)) stats.ctimeMs -= ageMs;
    return stats;
  };
  // The store uses this one of the overloads.
  return { ...fs, lstat: lstat as FileSystem["lstat"] };
}

test("temp files and sidecars without payload are removed once an hour old, nothing else", async () => {
  const { directory, remains, kept } = await directoryWithRemains();
  const anHourLater = withOldFiles(directory, [...remains, ...kept], ABANDONED_AFTER_MS + 1);
  await removeAbandonedFiles(anHourLater, directory);
  expect((await fs.readdir(directory)).toSorted()).toEqual(kept);
});

test("what is younger than an hour may be in use and stays", async () => {
  const { directory, remains, kept } = await directoryWithRemains();
  await removeAbandonedFiles(withOldFiles(directory, remains, ABANDONED_AFTER_MS / 2), directory);
  expect((await fs.readdir(directory)).toSorted()).toEqual([...kept, ...remains].toSorted());
});

test("the first write of a later store removes what was left", async () => {
  const { root, directory, remains, kept } = await directoryWithRemains();
  const fileSystem = withOldFiles(directory, remains, 2 * ABANDONED_AFTER_MS);
  const id = await new FsBlobStore(root, { fileSystem }).store(text("x"));
  await expect
    .poll(async () => (await fs.readdir(directory)).toSorted())
    .toEqual([...kept, `${id}.txt`].toSorted());
});

test("further stores of one directory do not look for remains again", async () => {
  const { root } = await directoryWithRemains();
  let listings = 0;
  const fileSystem: FileSystem = {
    ...nodeFileSystem,
    opendir: (path) => {
      listings += 1;
      return nodeFileSystem.opendir(path);
    },
  };
  for (let store = 0; store < 3; store += 1) {
    await new FsBlobStore(root, { fileSystem }).store(text("x"));
  }
  await new FsBlobStore(await tempDirectory(), { fileSystem }).store(text("x"));
  expect(listings).toBe(2);
});

test("a clock that has been set forward removes nothing that is in use", async () => {
  const root = await tempDirectory();
  const writer = await new FsBlobStore(root).openWriter();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 24 * ABANDONED_AFTER_MS });
  onTestFinished(() => void vi.useRealTimers());
  await new FsBlobStore(root).store(text("x"));
  await removeAbandonedFiles(fs, join(root, "blobs"));
  await expect(writer.commit()).resolves.toMatchObject({ stat: { byteCount: 0 } });
});

describe("a stream that pauses is not taken for abandoned", () => {
  const paused: Record<
    string,
    (directory: string, fileSystem: FileSystem) => Promise<() => Promise<void>>
  > = {
    "that of a blob": async (directory, fileSystem) => {
      const writer = await new FsBlobStore(directory, { fileSystem }).openWriter();
      return () => writer.abort();
    },
    "that of a file": async (directory, fileSystem) => {
      const pieces = new PassThrough();
      const written = new DirectoryFileBackend(directory, { fileSystem }).write("/a/b", pieces);
      await expect.poll(() => fs.readdir(join(directory, "a")).catch(() => [])).toHaveLength(1);
      return async () => {
        pieces.destroy(new Error("stopped"));
        await expect(written).rejects.toThrow("stopped");
      };
    },
  };

  test.each(Object.entries(paused))("%s", async (_, pause) => {
    const root = await tempDirectory();
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const touched: string[] = [];
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      open: async (...args) => {
        const file = await nodeFileSystem.open(...args);
        file.utimes = async () => void touched.push("touched");
        return file;
      },
    };
    const end = await pause(root, fileSystem);
    vi.advanceTimersByTime(ABANDONED_AFTER_MS);
    expect(touched.length).toBeGreaterThan(1);
    await end();
    expect(vi.getTimerCount()).toBe(0);
    const left = await fs.readdir(root, { recursive: true, withFileTypes: true });
    expect(left.filter((entry) => entry.isFile())).toEqual([]);
  });
});
