import { execFile } from "node:child_process";
import * as fs from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { failingFileSystem } from "../test/failing-file-system.js";
import { tempDirectory } from "../test/temp-directory.js";
import { createBlobId } from "./blob-id.js";
import type { FileSystem } from "./file-system.js";
import { FsBlobStore } from "./fs-blob-store.js";
import { MALFORMED_IDS } from "./testing/id-cases.js";
import { allByteValues, largeText, text } from "./testing/samples.js";

/** Ids that are made up, beside those that are listed. */
const HOSTILE_IDS = 10_000;

describe.skipIf(process.platform === "win32")("F20: files are private", () => {
  test.each([0o000, 0o022, 0o777])(
    "directories are 0700 and files 0600 under umask %i",
    async (umask) => {
      const directory = join(await tempDirectory(), "store");
      const before = process.umask(umask);
      onTestFinished(() => void process.umask(before));
      const store = new FsBlobStore(directory);
      await store.store(text(largeText()));
      const writer = await store.openWriter();
      await writer.write(allByteValues());
      const names = await fs.readdir(join(directory, "blobs"));
      expect(names.map((name) => name.slice(-4)).toSorted()).toEqual([".tmp", ".txt", "ndex"]);
      for (const path of [directory, join(directory, "blobs")]) {
        expect((await fs.stat(path)).mode & 0o777).toBe(0o700);
      }
      for (const name of names) {
        expect((await fs.stat(join(directory, "blobs", name))).mode & 0o777).toBe(0o600);
      }
      await writer.abort();
    },
  );

  test("a directory that belongs to someone else is refused", async () => {
    const directory = await tempDirectory();
    await fs.mkdir(join(directory, "blobs"));
    for (const foreign of [directory, join(directory, "blobs")]) {
      const store = new FsBlobStore(directory, { fileSystem: ownedBySomeoneElse(foreign) });
      await expect(store.store(text("x"))).rejects.toMatchObject({ code: "forbidden" });
      await expect(store.load(createBlobId())).rejects.toMatchObject({ code: "forbidden" });
      await expect(store.openWriter()).rejects.toMatchObject({ code: "forbidden" });
    }
    expect(await fs.readdir(join(directory, "blobs"))).toEqual([]);
  });

  test("a blobs directory that is a symbolic link is not followed, also if it becomes one later", async () => {
    const outside = await tempDirectory();
    const directory = await tempDirectory();
    await fs.symlink(outside, join(directory, "blobs"));
    const store = new FsBlobStore(directory);
    await expect(store.store(text("x"))).rejects.toMatchObject({ code: "forbidden" });
    await fs.unlink(join(directory, "blobs"));
    const id = await store.store(text("x"));
    await fs.rename(join(directory, "blobs"), join(directory, "moved"));
    await fs.symlink(join(directory, "moved"), join(directory, "blobs"));
    await expect(store.load(id)).rejects.toMatchObject({ code: "forbidden" });
    await expect(store.store(text("x"))).rejects.toMatchObject({ code: "forbidden" });
    expect(await fs.readdir(outside)).toEqual([]);
  });

  test("a payload or sidecar that is a symbolic link is not followed", async () => {
    const directory = await tempDirectory();
    const outside = join(await tempDirectory(), "outside.txt");
    await fs.writeFile(outside, "secret");
    const store = new FsBlobStore(directory);
    const id = await store.store(text(largeText()));
    const payload = join(directory, "blobs", `${id}.txt`);
    const sidecar = join(directory, "blobs", `${id}.index`);

    await fs.rename(sidecar, join(directory, "moved.index"));
    await fs.symlink(join(directory, "moved.index"), sidecar);
    await expect(store.stat(id)).rejects.toMatchObject({ code: "forbidden" });

    await fs.unlink(payload);
    await fs.symlink(outside, payload);
    await expect(store.load(id)).rejects.toMatchObject({ code: "forbidden" });
    await expect(store.openReader(id)).rejects.toMatchObject({ code: "forbidden" });
    expect(await store.exists(id)).toBe(false);
    for await (const entry of store.list()) expect.unreachable(entry.id);
    await store.delete(id);
    expect(await fs.readFile(outside, "utf8")).toBe("secret");
  });

  test("a pipe in the place of a payload does not make the reader wait", async () => {
    const directory = await tempDirectory();
    const store = new FsBlobStore(directory);
    await store.store(text("x"));
    const id = createBlobId();
    await promisify(execFile)("mkfifo", [join(directory, "blobs", `${id}.txt`)]);
    await expect(store.load(id)).rejects.toMatchObject({ code: "corrupt" });
  });
});

test("no malformed id reaches the file system", async () => {
  const touched: string[] = [];
  const store = new FsBlobStore(await tempDirectory(), {
    fileSystem: failingFileSystem(({ path }) => {
      touched.push(path);
      return undefined;
    }),
  });
  const refuses = async (id: unknown): Promise<void> => {
    for (const method of ["load", "exists", "stat", "openReader", "delete"] as const) {
      // What a program without types, or a model, may pass.
      await expect(store[method](id as string)).rejects.toMatchObject({ code: "invalid_id" });
    }
  };
  for (const id of MALFORMED_IDS) await refuses(id);
  const segment = fc.constantFrom(
    "..",
    ".",
    "/",
    "\\",
    "%2e",
    "\u0000",
    "blobs",
    createBlobId(),
    "~",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(segment, { minLength: 2 }), (segments) => refuses(segments.join(""))),
    { numRuns: HOSTILE_IDS / 2 },
  );
  await fc.assert(fc.asyncProperty(fc.anything(), refuses), { numRuns: HOSTILE_IDS / 2 });
  expect(touched).toEqual([]);
});

function ownedBySomeoneElse(path: string): FileSystem {
  const withOtherOwner = async <T extends { uid: number }>(at: unknown, looking: Promise<T>) => {
    const stats = await looking;
    if (at === path) stats.uid += 1;
    return stats;
  };
  return {
    ...fs,
    stat: ((at: string) => withOtherOwner(at, fs.stat(at))) as FileSystem["stat"],
    lstat: ((at: string) => withOtherOwner(at, fs.lstat(at))) as FileSystem["lstat"],
  };
}
