import * as fs from "node:fs/promises";
import { extname, join } from "node:path";
import { expect, test } from "vitest";
import { BlobStoreError } from "../src/blob-store-error.js";
import { FsBlobStore } from "../src/fs-blob-store.js";
import { allByteValues, largeText, text } from "../src/testing/samples.js";
import { failingFileSystem, type FileOperation } from "./failing-file-system.js";
import { openFileCount } from "./open-files.js";
import { tempDirectory } from "./temp-directory.js";

const WRITING = [
  "open",
  "rename",
  "handle.stat",
  "handle.chmod",
  "handle.write",
  "handle.sync",
  "handle.close",
];

const WAYS_TO_STORE: Record<string, (store: FsBlobStore) => Promise<unknown>> = {
  "a small blob": (store) => store.store(text("small")),
  "a large blob": (store) => store.store(text(largeText())),
  "a stream": async (store) => {
    const writer = await store.openWriter();
    for (let chunk = 0; chunk < 3; chunk += 1) await writer.write(allByteValues(500));
    return writer.commit();
  },
};

test.each(Object.entries(WAYS_TO_STORE))(
  "whichever operation of storing %s fails, nothing is left of it and the next one is stored",
  async (_, storeOne) => {
    for (let failing = 1, failed = true; failed; failing += 1) {
      const directory = await tempDirectory();
      let count = 0;
      let armed = false;
      failed = false;
      const store = new FsBlobStore(directory, {
        fileSystem: failingFileSystem(({ name }) => {
          if (!armed || !WRITING.includes(name) || (count += 1) !== failing) return undefined;
          failed = true;
          return "EIO";
        }),
      });
      const kept = await store.store(text("kept"));
      armed = true;
      const outcome = await storeOne(store).catch((error: unknown) => error);
      if (!failed) break;
      expect(outcome).toBeInstanceOf(BlobStoreError);
      expect(outcome).toMatchObject({ code: "unavailable", cause: { code: "EIO" } });
      expect(await fs.readdir(join(directory, "blobs"))).toEqual([`${kept}.txt`]);
      expect(await openFileCount(directory)).toBe(0);
      await storeOne(store);
    }
  },
);

test.each([
  ["ENOSPC", "no_space"],
  ["EDQUOT", "no_space"],
  ["EACCES", "forbidden"],
  ["EPERM", "forbidden"],
  ["EROFS", "forbidden"],
  ["EIO", "unavailable"],
  ["EMFILE", "unavailable"],
  ["ENOENT", "unavailable"],
])(
  "%s while writing is %s, with the origin as cause and without the payload",
  async (errno, code) => {
    const directory = await tempDirectory();
    const store = storeThatFails(directory, errno, ({ name }) => name === "handle.write");
    const error: unknown = await store
      .store(text("secret payload"))
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, cause: { code: errno } });
    expect(String(error)).not.toContain("secret");
    expect(await fs.readdir(join(directory, "blobs"))).toEqual([]);
  },
);

test.each([
  ["EACCES", "forbidden"],
  ["EIO", "unavailable"],
  ["EMFILE", "unavailable"],
  ["ENOENT", "not_found"],
])("%s while reading is %s and leaves no file open", async (errno, code) => {
  const directory = await tempDirectory();
  const id = await new FsBlobStore(directory).store(text(largeText()));
  for (const operation of ["open", "handle.stat", "handle.read", "handle.read of .index"]) {
    const store = storeThatFails(
      directory,
      errno,
      ({ name, path }) => operation === name || operation === `${name} of ${extname(path)}`,
    );
    const error: unknown = await store.load(id).catch((thrown: unknown) => thrown);
    expect({ operation, error }).toMatchObject({ operation, error: { code, blobId: id } });
    expect(await openFileCount(directory)).toBe(0);
  }
});

test("a reader whose close reports an error tells it as the store does", async () => {
  const directory = await tempDirectory();
  const id = await new FsBlobStore(directory).store(text("x"));
  const store = storeThatFails(directory, "EIO", ({ name }) => name === "handle.close");
  const reader = await store.openReader(id);
  await expect(reader.close()).rejects.toMatchObject({ code: "unavailable", blobId: id });
});

test("a directory that cannot be made is forbidden or unavailable", async () => {
  const directory = await tempDirectory();
  const denied = storeThatFails(join(directory, "a"), "EACCES", ({ name }) => name === "mkdir");
  await expect(denied.store(text("x"))).rejects.toMatchObject({ code: "forbidden" });
  await fs.writeFile(join(directory, "file"), "");
  const inAFile = new FsBlobStore(join(directory, "file", "store"));
  await expect(inAFile.store(text("x"))).rejects.toMatchObject({ code: "unavailable" });
});

test("a stream that has failed takes no more, with the same error, and leaves nothing", async () => {
  const directory = await tempDirectory();
  let full = false;
  const store = new FsBlobStore(directory, {
    fileSystem: failingFileSystem(({ name }) =>
      full && name === "handle.write" ? "ENOSPC" : undefined,
    ),
  });
  const writer = await store.openWriter();
  await writer.write(Buffer.from("begun"));
  full = true;
  await expect(writer.write(Buffer.from("more"))).rejects.toMatchObject({ code: "no_space" });
  full = false;
  await expect(writer.write(Buffer.from("more"))).rejects.toMatchObject({ code: "no_space" });
  await expect(writer.commit()).rejects.toMatchObject({ code: "no_space" });
  await writer.abort();
  expect(await fs.readdir(join(directory, "blobs"))).toEqual([]);
});

test("a stream that is aborted between two pieces of a large write leaves nothing", async () => {
  const directory = await tempDirectory();
  const controller = new AbortController();
  const reason = new Error("enough");
  const store = new FsBlobStore(directory, {
    fileSystem: failingFileSystem(({ name }) => {
      if (name === "handle.write") controller.abort(reason);
      return undefined;
    }),
  });
  const writer = await store.openWriter({ signal: controller.signal });
  await expect(writer.write(allByteValues(10_000))).rejects.toBe(reason);
  await writer.abort();
  expect(await fs.readdir(join(directory, "blobs"))).toEqual([]);
});

test("no more than 16 operations are under way at a time", async () => {
  let underWay = 0;
  let most = 0;
  const store = new FsBlobStore(await tempDirectory(), {
    fileSystem: {
      ...fs,
      rename: async (from, to) => {
        underWay += 1;
        most = Math.max(most, underWay);
        await fs.rename(from, to);
        underWay -= 1;
      },
    },
  });
  await Promise.all(Array.from({ length: 60 }, (_, number) => store.store(text(`${number}`))));
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(16);
});

test("a store whose directory is removed makes it again", async () => {
  const directory = join(await tempDirectory(), "store");
  const store = new FsBlobStore(directory);
  const id = await store.store(text("gone"));
  await fs.rm(directory, { recursive: true });
  expect(await store.exists(id)).toBe(false);
  await store.load(await store.store(text("again")));
});

function storeThatFails(
  directory: string,
  errno: string,
  when: (operation: FileOperation) => boolean,
): FsBlobStore {
  return new FsBlobStore(directory, {
    fileSystem: failingFileSystem((operation) => (when(operation) ? errno : undefined)),
  });
}
