import { constants } from "node:fs";
import * as fs from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openFileCount } from "../test/open-files.js";
import { tempDirectory } from "../test/temp-directory.js";
import { openFile, type OpenFile } from "./open-file.js";

const READ_WRITE_NEW = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;
const MAX_BYTES = 64;

type Call = (file: OpenFile) => Promise<unknown>;

const writing = fc
  .record({
    bytes: fc.uint8Array({ minLength: 1, maxLength: MAX_BYTES }),
    position: fc.oneof(fc.nat({ max: MAX_BYTES }), fc.constant(null)),
    skipped: fc.nat(),
  })
  .map(({ bytes, position, skipped }): Call => {
    const offset = skipped % bytes.length;
    return async (file) =>
      (await file.write(bytes, offset, bytes.length - offset, position)).bytesWritten;
  });
const reading = fc
  .tuple(fc.nat({ max: MAX_BYTES }), fc.nat({ max: 2 * MAX_BYTES }))
  .map(([length, position]): Call => {
    return async (file) => {
      const target = new Uint8Array(MAX_BYTES + 1);
      const { bytesRead } = await file.read(target, 1, length, position);
      return { bytesRead, target };
    };
  });
const looking = fc.constantFrom<Call>(
  async (file) => (await file.stat()).size,
  async (file) => file.chmod(0o640),
  async (file) => (await file.stat()).mode,
  async (file) => file.utimes(new Date(1e12), new Date(2e12)),
  async (file) => file.sync(),
);
const calls = fc.array(fc.oneof(writing, reading, looking), { maxLength: 12 });

test("a file does what a FileHandle does", async () => {
  const directory = await tempDirectory();
  let count = 0;
  await fc.assert(
    fc.asyncProperty(calls, async (all) => {
      const path = join(directory, String((count += 1)));
      const ours = await openFile(`${path}-ours`, READ_WRITE_NEW, 0o600);
      const theirs = await fs.open(`${path}-theirs`, READ_WRITE_NEW, 0o600);
      for (const call of all) expect(await call(ours)).toEqual(await call(theirs));
      await Promise.all([ours.close(), theirs.close()]);
      expect(await fs.readFile(`${path}-ours`)).toEqual(await fs.readFile(`${path}-theirs`));
    }),
    { numRuns: 60 },
  );
});

test("close waits for what is under way, and what comes after it reaches no other file", async () => {
  const directory = await tempDirectory();
  let count = 0;
  await fc.assert(
    fc.asyncProperty(calls, calls, async (before, after) => {
      const path = join(directory, String((count += 1)));
      const file = await openFile(path, READ_WRITE_NEW, 0o600);
      const underWay = before.map((call) => call(file));
      const closing = file.close();
      const late = Promise.allSettled(after.map((call) => call(file)));
      await Promise.all(underWay);
      await closing;
      // It gets the number that has become free.
      const other = await openFile(`${path}-other`, READ_WRITE_NEW, 0o600);
      const later = Promise.allSettled(after.map((call) => call(file)));
      for (const outcome of [...(await late), ...(await later)]) {
        expect(outcome).toMatchObject({ status: "rejected", reason: { code: "EBADF" } });
      }
      await file.close();
      expect((await other.stat()).size).toBe(0);
      await other.close();
      expect(await openFileCount(directory)).toBe(0);
    }),
    { numRuns: 60 },
  );
});

test("a call that is refused at once does not keep the file open", async () => {
  const directory = await tempDirectory();
  const file = await openFile(join(directory, "file"), READ_WRITE_NEW, 0o600);
  await expect(file.read(new Uint8Array(4), 2, 4, 0)).rejects.toThrow(RangeError);
  await expect(file.write(new Uint8Array(4), 5, 1, 0)).rejects.toThrow(RangeError);
  await file.close();
  expect(await openFileCount(directory)).toBe(0);
});

test("what cannot be opened is an error with its code and leaves nothing open", async () => {
  const directory = await tempDirectory();
  const missing = openFile(join(directory, "missing"), constants.O_RDONLY);
  await expect(missing).rejects.toMatchObject({ code: "ENOENT" });
  await expect(openFile("no\u0000path", constants.O_RDONLY)).rejects.toThrow(TypeError);
  expect(await openFileCount(directory)).toBe(0);
});
