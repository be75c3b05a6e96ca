import { execFile } from "node:child_process";
import * as fs from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { failingFileSystem, type FileOperation } from "../test/failing-file-system.js";
import { tempDirectory } from "../test/temp-directory.js";
import { DirectoryFileBackend } from "./directory-file-backend.js";

const PATH = "/large_tool_result/call_1";
const EVERYTHING = Number.MAX_SAFE_INTEGER;

async function* chunksOf(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(64);
  for (const text of texts) yield buffer.subarray(0, buffer.write(text));
}

async function textIn(backend: DirectoryFileBackend, path: string): Promise<string> {
  return Buffer.from(await backend.read(path, 0, EVERYTHING)).toString();
}

/** All files below a directory, hidden ones too. */
async function filesIn(directory: string): Promise<readonly string[]> {
  const entries = await fs.readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

describe("a file", () => {
  test("is at its path in the directory, and is read in parts", async () => {
    const directory = join(await tempDirectory(), "agent", "files");
    const backend = new DirectoryFileBackend(directory);
    expect(await backend.write(PATH, chunksOf("one ", "two ", "three"))).toBe(PATH);
    expect(await fs.readFile(join(directory, "large_tool_result", "call_1"), "utf8")).toBe(
      "one two three",
    );
    expect(await backend.stat(PATH)).toEqual({ byteCount: 13 });
    expect(Buffer.from(await backend.read(PATH, 4, 7)).toString()).toBe("two");
    expect(Buffer.from(await backend.read(PATH, -5, 3)).toString()).toBe("one");
    expect(await backend.read(PATH, 50, 60)).toHaveLength(0);
    expect(await textIn(new DirectoryFileBackend(directory), PATH)).toBe("one two three");
  });

  test("is found by its path without the slash in front, and may be empty", async () => {
    const backend = new DirectoryFileBackend(await tempDirectory());
    expect(await backend.write("a/b/c.txt", chunksOf())).toBe("/a/b/c.txt");
    expect(await backend.stat("/a/b/c.txt")).toEqual({ byteCount: 0 });
    expect(await textIn(backend, "a/b/c.txt")).toBe("");
  });

  test.each([new ArrayBuffer(8), "text", 8, Uint16Array.of(300)])(
    "is not written of what are no bytes, such as %o, and nothing is left of it",
    async (chunk) => {
      const directory = await tempDirectory();
      // As a program in JavaScript might.
      const chunks = Readable.from([Buffer.from("one"), chunk]) as AsyncIterable<Uint8Array>;
      const writing = new DirectoryFileBackend(directory).write(PATH, chunks);
      await expect(writing).rejects.toThrow("bytes have to be a Uint8Array");
      expect(await filesIn(directory)).toEqual([]);
    },
  );

  test("is never overwritten, not even by writes of two backends at the same time", async () => {
    const directory = await tempDirectory();
    const backends = [new DirectoryFileBackend(directory), new DirectoryFileBackend(directory)];
    const paths = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (backends[i % 2] as DirectoryFileBackend).write("/r/log.txt", chunksOf(String(i))),
      ),
    );
    expect(new Set(paths).size).toBe(20);
    expect(paths).toContain("/r/log.txt");
    for (const [i, path] of paths.entries()) {
      expect(path).toMatch(/^\/r\/log(?:-[0-9a-f]{8})?\.txt$/);
      expect(await textIn(backends[0] as DirectoryFileBackend, path)).toBe(String(i));
    }
    expect(await filesIn(directory)).toHaveLength(20);
  });

  test("is not to be seen before it is whole, and takes a chunk when it is done with the one before", async () => {
    const directory = await tempDirectory();
    const backend = new DirectoryFileBackend(directory);
    const sizes: number[] = [];
    async function* watching(): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < 3; i += 1) {
        await expect(backend.stat(PATH)).rejects.toMatchObject({ code: "not_found" });
        const [temp = ""] = await fs.readdir(join(directory, "large_tool_result"));
        sizes.push((await fs.stat(join(directory, "large_tool_result", temp))).size);
        yield Buffer.from("four");
      }
    }
    await backend.write(PATH, watching());
    expect(sizes).toEqual([0, 4, 8]);
    expect(await textIn(backend, PATH)).toBe("fourfourfour");
  });

  test("can be deleted, and is missed after that", async () => {
    const backend = new DirectoryFileBackend(await tempDirectory());
    expect(await backend.delete(PATH)).toBe(false);
    await expect(backend.read(PATH, 0, 1)).rejects.toMatchObject({ code: "not_found" });
    await backend.write(PATH, chunksOf("x"));
    expect(await backend.delete(PATH)).toBe(true);
    expect(await backend.delete(PATH)).toBe(false);
    await expect(backend.stat(PATH)).rejects.toMatchObject({ code: "not_found" });
  });
});

test("a name is not lost to a claim whose close reports an error", async () => {
  const directory = await tempDirectory();
  const backend = new DirectoryFileBackend(directory, {
    fileSystem: failingFileSystem(({ name, path }) =>
      name === "handle.close" && path.endsWith("call_1") ? "EIO" : undefined,
    ),
  });
  expect(await backend.write(PATH, chunksOf("one"))).toBe(PATH);
  expect(await textIn(new DirectoryFileBackend(directory), PATH)).toBe("one");
});

describe("a write that fails leaves nothing behind", () => {
  test("when the chunks fail, with their error", async () => {
    const directory = await tempDirectory();
    const failure = new Error("the tool is gone");
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("some");
      throw failure;
    }
    await expect(new DirectoryFileBackend(directory).write(PATH, failing())).rejects.toBe(failure);
    expect(await filesIn(directory)).toEqual([]);
  });

  test.each([
    ["mkdir", "EACCES", "forbidden"],
    ["open", "EMFILE", "unavailable"],
    ["handle.write", "ENOSPC", "no_space"],
    ["handle.sync", "EIO", "unavailable"],
    ["handle.close", "EDQUOT", "no_space"],
    ["rename", "EROFS", "forbidden"],
  ])("when %s fails with %s, with the code %s", async (name, errno, code) => {
    const directory = await tempDirectory();
    const fails = (operation: FileOperation): string | undefined =>
      operation.name === name ? errno : undefined;
    const backend = new DirectoryFileBackend(join(directory, "files"), {
      fileSystem: failingFileSystem(fails),
    });
    await expect(backend.write(PATH, chunksOf("x"))).rejects.toMatchObject({ code });
    expect(await filesIn(directory)).toEqual([]);
  });

  test("and what a process that died has left is removed once it is old", async () => {
    const directory = await tempDirectory();
    const backend = new DirectoryFileBackend(directory);
    await backend.write("/a/first", chunksOf("x"));
    const aged = join(directory, "a", ".0190a000-0000-7000-8000-000000000000.tmp");
    await fs.writeFile(aged, "left");
    const fresh = ".0190a000-0000-7000-8000-000000000001.tmp";
    await fs.writeFile(join(directory, "a", fresh), "under way");
    await fs.writeFile(join(directory, "a", ".cache.tmp"), "of another program");
    let writing: Promise<unknown> | undefined;
    const removed = new Promise((resolve) => {
      const later = new DirectoryFileBackend(directory, {
        fileSystem: {
          ...fs,
          // As it is an hour after the file was changed; that time cannot be set back.
          lstat: (async (path: string) => {
            const stats = await fs.lstat(path);
            if (path === aged || path.endsWith("cache.tmp")) stats.ctimeMs -= 61 * 60 * 1000;
            return stats;
          }) as typeof fs.lstat,
          unlink: async (path) => {
            await fs.unlink(path);
            resolve(path);
          },
        },
      });
      writing = later.write("/a/second", chunksOf("y"));
    });
    expect(await removed).toBe(aged);
    await writing;
    expect(await filesIn(directory)).toEqual(expect.arrayContaining([fresh, ".cache.tmp"]));
  });
});

describe.skipIf(process.platform === "win32")("private files", () => {
  test.each([0o000, 0o022, 0o777])(
    "directories are 0700 and files 0600 under umask %i",
    async (umask) => {
      const directory = join(await tempDirectory(), "files");
      const before = process.umask(umask);
      onTestFinished(() => void process.umask(before));
      await new DirectoryFileBackend(directory).write("/a/b/c", chunksOf("x"));
      for (const path of ["", "a", "a/b"]) {
        expect((await fs.stat(join(directory, path))).mode & 0o777).toBe(0o700);
      }
      expect((await fs.stat(join(directory, "a/b/c"))).mode & 0o777).toBe(0o600);
    },
  );

  test("a symbolic link in the directory is not followed, whichever name on the path it has", async () => {
    const outside = await tempDirectory();
    await fs.mkdir(join(outside, "inner"));
    await fs.writeFile(join(outside, "inner", "secret"), "secret");
    const directory = await tempDirectory();
    await fs.symlink(outside, join(directory, "linked"));
    await fs.mkdir(join(directory, "real"));
    await fs.symlink(join(outside, "inner"), join(directory, "real", "inner"));
    await fs.symlink(join(outside, "inner", "secret"), join(directory, "real", "secret"));
    const backend = new DirectoryFileBackend(directory);
    for (const path of ["/linked/inner/secret", "/real/inner/secret", "/real/secret"]) {
      await expect(backend.read(path, 0, 9)).rejects.toMatchObject({ code: "forbidden" });
      await expect(backend.stat(path)).rejects.toMatchObject({ code: "forbidden" });
    }
    for (const path of ["/linked/new", "/linked/inner/new", "/real/inner/new"]) {
      await expect(backend.write(path, chunksOf("x"))).rejects.toMatchObject({ code: "forbidden" });
      await expect(backend.delete(path)).rejects.toMatchObject({ code: "forbidden" });
    }
    expect(await backend.write("/real/secret", chunksOf("mine"))).toMatch(/^\/real\/secret-\w{8}$/);
    expect(await backend.delete("/real/secret")).toBe(true);
    expect(await filesIn(outside)).toEqual(["secret"]);
    expect(await fs.readFile(join(outside, "inner", "secret"), "utf8")).toBe("secret");
  });

  test("the directory itself may be reached by one", async () => {
    const directory = await tempDirectory();
    await fs.mkdir(join(directory, "there"));
    await fs.symlink(join(directory, "there"), join(directory, "link"));
    const backend = new DirectoryFileBackend(join(directory, "link"));
    await backend.write(PATH, chunksOf("x"));
    expect(await textIn(backend, PATH)).toBe("x");
  });

  test("a directory that belongs to someone else is refused", async () => {
    const directory = await tempDirectory();
    await fs.mkdir(join(directory, "a"));
    for (const foreign of [directory, join(directory, "a")]) {
      const look = (ask: typeof fs.stat | typeof fs.lstat) => async (path: string) => {
        const stats = await ask(path);
        if (path === foreign) stats.uid += 1;
        return stats;
      };
      const fileSystem = {
        ...fs,
        stat: look(fs.stat) as typeof fs.stat,
        lstat: look(fs.lstat) as typeof fs.lstat,
      };
      const backend = new DirectoryFileBackend(directory, { fileSystem });
      await expect(backend.write("/a/b", chunksOf("x"))).rejects.toMatchObject({
        code: "forbidden",
      });
      await expect(backend.stat("/a/b")).rejects.toMatchObject({ code: "forbidden" });
    }
    expect(await filesIn(directory)).toEqual([]);
  });

  test("what is no regular file is not read, and a pipe does not make the reader wait", async () => {
    const directory = await tempDirectory();
    const backend = new DirectoryFileBackend(directory);
    await backend.write("/a/b", chunksOf("x"));
    await promisify(execFile)("mkfifo", [join(directory, "pipe")]);
    for (const path of ["/pipe", "/a"]) {
      await expect(backend.read(path, 0, 1)).rejects.toMatchObject({ code: "corrupt" });
    }
    await expect(backend.write("/a/b/c", chunksOf("x"))).rejects.toMatchObject({
      code: "forbidden",
    });
  });
});

describe("F15: a path that could lead elsewhere does not reach the file system", () => {
  const touched: string[] = [];
  const backend = new DirectoryFileBackend("never-made", {
    fileSystem: failingFileSystem(({ path }) => {
      touched.push(path);
      return "EIO";
    }),
  });
  const refuses = async (path: unknown): Promise<void> => {
    // What a program without types, or a model, may pass.
    const given = path as string;
    const refused = { code: "invalid_id" };
    await expect(backend.write(given, chunksOf("x"))).rejects.toMatchObject(refused);
    await expect(backend.stat(given)).rejects.toMatchObject(refused);
    await expect(backend.read(given, 0, 1)).rejects.toMatchObject(refused);
    await expect(backend.delete(given)).rejects.toMatchObject(refused);
  };

  test.each([
    ["", "/", "//", "/a/", "/a//b", "//host/share"],
    ["..", "../x", "/a/../../x", "/a/./b", "a/..", "/../.."],
    ["/.hidden", "/a/.0190a000.tmp", "/a.", "/a "],
    ["C:\\x", "C:/x", "/a\\..\\b", "/a:stream", "/CON", "/a/nul.txt", "/com1"],
    ["/a\u0000b", "/a\nb", "/a\u001b[0m", "/a\ud83d", "/a?", "/a*"],
    [`/${"a".repeat(201)}`, "/a".repeat(600), "x".repeat(10_000)],
    [undefined, null, 7, {}, ["/a"]],
  ])("such as %j", async (...paths) => {
    for (const path of paths) await refuses(path);
    expect(touched).toEqual([]);
  });

  test("whatever it is put together from", async () => {
    const unsafe = fc.constantFrom("..", ".", "\\", "\u0000", "...", ".tmp", "a:b");
    const part = fc.constantFrom("a", "large_tool_result", "/", "%2e");
    const path = fc
      .tuple(fc.array(part), unsafe, fc.array(part))
      .map(([before, middle, after]) => `${before.join("/")}/${middle}/${after.join("/")}`);
    await fc.assert(fc.asyncProperty(path, refuses));
    expect(touched).toEqual([]);
  });
});
