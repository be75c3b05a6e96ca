import { expect, test } from "vitest";
import { FsBlobStore } from "../src/fs-blob-store.js";
import { json, text } from "../src/testing/samples.js";
import { failingFileSystem } from "./failing-file-system.js";
import { tempDirectory } from "./temp-directory.js";

interface Work {
  readonly calls: Readonly<Record<string, number>>;
  readonly bytesWritten: number;
}

/** What a store asks of the file system for one blob, once its directory is there. */
async function workOf(content: Parameters<FsBlobStore["store"]>[0]): Promise<Work> {
  let calls: Record<string, number> = {};
  let bytesWritten = 0;
  const fileSystem = failingFileSystem(({ name, args }) => {
    calls[name] = (calls[name] ?? 0) + 1;
    if (name === "handle.write") bytesWritten += Number(args[2]);
    return undefined;
  });
  const store = new FsBlobStore(await tempDirectory(), { durability: "none", fileSystem });
  await store.store(text("first"));
  calls = {};
  bytesWritten = 0;
  await store.store(content);
  return { calls, bytesWritten };
}

test("a small text costs one file and one write", async () => {
  const { calls, bytesWritten } = await workOf(text("x".repeat(100 * 1024)));
  expect(calls).toMatchObject({
    open: 1,
    "handle.write": 1,
    "handle.close": 1,
    rename: 1,
  });
  expect(bytesWritten).toBe(100 * 1024);
});

test("twice the bytes cost twice the writes, and an index of at most a hundredth", async () => {
  const sizes = [4, 8, 16].map((megabytes) => megabytes * 1024 * 1024);
  const line = "a line of a log that has sixty-four bytes, its newline included\n";
  for (const make of [
    (byteCount: number) => text(line.repeat(byteCount / line.length)),
    (byteCount: number) => json(`[${`"${line.slice(0, 61)}",`.repeat(byteCount / 64)}0]`),
  ]) {
    for (const byteCount of sizes) {
      const { calls, bytesWritten } = await workOf(make(byteCount));
      expect(calls["open"]).toBe(2);
      expect(calls["handle.write"]).toBeLessThanOrEqual(byteCount / (256 * 1024) + 2);
      expect(bytesWritten).toBeGreaterThan(byteCount);
      expect(bytesWritten).toBeLessThan(1.01 * byteCount + 1024);
    }
  }
});

test("a new store looks once at a directory that is there, and makes none", async () => {
  const directory = await tempDirectory();
  await new FsBlobStore(directory).store(text("first"));
  const calls: string[] = [];
  const fileSystem = failingFileSystem(({ name }) => void calls.push(name));
  await new FsBlobStore(directory, { durability: "none", fileSystem }).store(text("second"));
  const beforeTheFile = calls.slice(0, calls.indexOf("open"));
  expect(beforeTheFile).toEqual(["stat", "lstat"]);
  expect(calls).not.toContain("mkdir");
});
