import { constants, rmSync, writeFileSync } from "node:fs";
import { appendFile, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { PersistenceError } from "../src/blob-store-error.js";
import { FsSessionStore } from "../src/session/fs-session-store.js";
import { MemorySessionStore } from "../src/session/memory-session-store.js";
import type { SessionStore } from "../src/session/session-store.js";
import { sessionStoreConformance } from "../src/testing/index.js";
import { failingFileSystem } from "./failing-file-system.js";
import { tempDirectory } from "./temp-directory.js";

function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "no error",
    (error: unknown) => (error as PersistenceError).code,
  );
}

const line = (text: string): Uint8Array => Buffer.from(`${text}\n`);

async function textOf(store: SessionStore, id: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await store.read(id)).chunks) chunks.push(Uint8Array.from(chunk));
  return Buffer.concat(chunks).toString();
}

async function idsOf(store: SessionStore): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of store.list()) ids.push(id);
  return ids;
}

describe("MemorySessionStore", () => {
  const cases = sessionStoreConformance({ createStore: () => new MemorySessionStore() });
  test.each(cases)("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

describe("FsSessionStore", () => {
  const cases = sessionStoreConformance({
    createStore: async () => new FsSessionStore(await tempDirectory()),
  });
  test.each(cases)("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });

  async function withLog(): Promise<{ store: FsSessionStore; log: string; root: string }> {
    const root = await tempDirectory();
    const store = new FsSessionStore(root);
    await store.append("s", 0, line("a"));
    return { store, root, log: join(root, "sessions", "s", "log.jsonl") };
  }

  test("a torn end is reported, not read, and covered by the next append", async () => {
    const { store, log } = await withLog();
    await appendFile(log, '{"torn":"and much longer than what is appended');
    const read = await store.read("s");
    expect(read).toMatchObject({ position: 2, tornByteCount: 46 });
    expect(await textOf(store, "s")).toBe("a\n");
    const position = await store.append("s", 2, line("b"));
    expect(await textOf(store, "s")).toMatch(/^a\nb\n *\n$/);
    expect(await store.read("s")).toMatchObject({ position, tornByteCount: 0 });
    await store.append("s", position, line("c"));
    expect((await textOf(store, "s")).split("\n").filter((text) => text.trim() !== "")).toEqual([
      "a",
      "b",
      "c",
    ]);
  });

  test.each([1, 510, 511, 512, 513, 4606, 4607, 4608, 37_376, 200_000])(
    "a torn end of %i bytes is found whole",
    async (tornByteCount) => {
      const { store, log } = await withLog();
      await appendFile(log, "x".repeat(tornByteCount));
      expect(await store.read("s")).toMatchObject({ position: 2, tornByteCount });
      expect(await textOf(store, "s")).toBe("a\n");
    },
  );

  test.each([
    ["nothing of it is in the log", ""],
    ["a part is in the log", "b\nc"],
    ["it is over a torn end", "b\n-to"],
    ["all of it is in the log", "b\nc\nd\n"],
  ])("an append whose process died is part of the log when %s", async (_title, carriedOut) => {
    const { store, log } = await withLog();
    await writeFile(join(log, "..", "2.append"), "b\nc\nd\n");
    await appendFile(log, carriedOut);
    expect(await textOf(store, "s")).toBe("a\nb\nc\nd\n");
    expect(await codeOf(store.append("s", 2, line("x")))).toBe("session_conflict");
    expect(await readFile(log, "utf8")).toBe("a\nb\nc\nd\n");
    await store.append("s", 8, line("e"));
    expect(await textOf(store, "s")).toBe("a\nb\nc\nd\ne\n");
    expect(await readdir(join(log, ".."))).toEqual(["log.jsonl"]);
  });

  test.each([
    ["came too late", "2.append", "x\n"],
    ["is torn itself", "4.append", "torn"],
    ["has no place in the log", "9.append", "x\n"],
  ])("a claim that %s is dropped", async (_title, name, bytes) => {
    const { store, log } = await withLog();
    await store.append("s", 2, line("b"));
    await writeFile(join(log, "..", name), bytes);
    expect(await textOf(store, "s")).toBe("a\nb\n");
    await store.append("s", 4, line("c"));
    expect(await readdir(join(log, ".."))).toEqual(["log.jsonl"]);
  });

  test("the first append counts even if its process died before there was a log", async () => {
    const { store, root } = await withLog();
    await mkdir(join(root, "sessions", "t"));
    await writeFile(join(root, "sessions", "t", "0.append"), "first\n");
    expect(await idsOf(store)).toEqual(["s", "t"]);
    expect(await textOf(store, "t")).toBe("first\n");
    expect(await codeOf(store.append("t", 0, line("other")))).toBe("session_conflict");
  });

  test("only the owner reads what it keeps", async () => {
    const { log, root } = await withLog();
    for (const [path, mode] of [
      [log, 0o600],
      [join(log, ".."), 0o700],
      [join(root, "sessions"), 0o700],
    ] as const) {
      expect((await stat(path)).mode & 0o777).toBe(mode);
    }
  });

  test("a symbolic link in the place of a session is not followed", async () => {
    const { store, root } = await withLog();
    await symlink(join(root, "sessions", "s"), join(root, "sessions", "linked"));
    expect(await codeOf(store.read("linked"))).toBe("forbidden");
  });

  test("a full disk leaves the log as it was, and the same append can be made again", async () => {
    const { root, store } = await withLog();
    const full = new FsSessionStore(root, {
      fileSystem: failingFileSystem(({ name }) => (name === "handle.write" ? "ENOSPC" : undefined)),
    });
    expect(await codeOf(full.append("s", 2, line("b")))).toBe("no_space");
    expect(await textOf(store, "s")).toBe("a\n");
    expect(await store.append("s", 2, line("b"))).toBe(4);
  });

  test.each([
    ["while it looks at the log", "handle.read", "log.jsonl", 2],
    ["while it opens the log", "open", "log.jsonl", 2],
    ["while it writes the log", "handle.write", "log.jsonl", 1],
    ["while it syncs the log", "handle.sync", "log.jsonl", 1],
    ["while it ends its claim", "unlink", ".append", 1],
    ["while it removes its temp file", "unlink", ".tmp", 1],
  ])("an append that fails %s can be made again, with more", async (_title, name, path, nth) => {
    const { root, log } = await withLog();
    let seen = 0;
    const store = new FsSessionStore(root, {
      fileSystem: failingFileSystem((operation) => {
        if (operation.name !== name || !operation.path.endsWith(path)) return undefined;
        seen += 1;
        return seen === nth ? "EIO" : undefined;
      }),
    });
    const failed = await codeOf(store.append("s", 2, line("b")));
    expect(seen).toBeGreaterThanOrEqual(nth);
    // Only a temp file may stay behind without any harm.
    expect(failed).toBe(path === ".tmp" ? "no error" : "unavailable");
    const [position, lines] = path === ".tmp" ? [4, line("c")] : [2, Buffer.from("b\nc\n")];
    expect(await store.append("s", position, lines)).toBe(6);
    expect(await readFile(log, "utf8")).toBe("a\nb\nc\n");
  });

  test("an append that failed is not taken for one with other lines", async () => {
    const { root, store } = await withLog();
    const failing = new FsSessionStore(root, {
      fileSystem: failingFileSystem(({ name }) => (name === "handle.sync" ? "EIO" : undefined)),
    });
    expect(await codeOf(failing.append("s", 2, line("b")))).toBe("unavailable");
    expect(await codeOf(store.append("s", 2, line("x")))).toBe("session_conflict");
    expect(await codeOf(failing.append("s", 2, line("x")))).toBe("session_conflict");
    expect(await textOf(store, "s")).toBe("a\nb\n");
  });

  test.each([
    ["deleted", undefined, "not_found"],
    ["deleted and begun anew", "x\n", "session_conflict"],
  ])(
    "an append to a log that is %s meanwhile leaves no log with a gap",
    async (_title, anew, code) => {
      const { root, log, store: other } = await withLog();
      await other.append("s", 2, line("b"));
      const store = new FsSessionStore(root, {
        fileSystem: failingFileSystem(({ name, path, args }) => {
          const isToWrite = (Number(args[1]) & constants.O_RDWR) !== 0;
          if (name === "open" && path === log && isToWrite) {
            rmSync(log);
            if (anew !== undefined) writeFileSync(log, anew);
          }
          return undefined;
        }),
      });
      expect(await codeOf(store.append("s", 4, line("c")))).toBe(code);
      expect(await readdir(join(log, ".."))).toEqual(anew === undefined ? [] : ["log.jsonl"]);
      expect(await readFile(log, "utf8").catch(() => undefined)).toBe(anew);
    },
  );

  test("a log that is deleted before its lines are read is not taken for an empty one", async () => {
    const { store } = await withLog();
    const { chunks } = await store.read("s");
    await store.delete("s");
    expect(await codeOf(chunks[Symbol.asyncIterator]().next())).toBe("not_found");
  });

  test.each(["open", "handle.read"])(
    "a failed %s of a log that is read has a code",
    async (name) => {
      const { root } = await withLog();
      let armed = false;
      const store = new FsSessionStore(root, {
        fileSystem: failingFileSystem((operation) =>
          armed && operation.name === name ? "EMFILE" : undefined,
        ),
      });
      const { chunks } = await store.read("s");
      armed = true;
      expect(await codeOf(chunks[Symbol.asyncIterator]().next())).toBe("unavailable");
    },
  );

  test("a listing goes on if a session is deleted meanwhile", async () => {
    const { root, store } = await withLog();
    await store.append("t", 0, line("a"));
    const racing = new FsSessionStore(root, {
      fileSystem: failingFileSystem(({ name, path }) => {
        const isGone =
          path.endsWith(join("s", "log.jsonl")) || path.endsWith(join("sessions", "s"));
        return isGone && name !== "lstat" ? "ENOENT" : undefined;
      }),
    });
    expect(await idsOf(racing)).toEqual(["t"]);
  });

  test("a file beside the sessions is none, whatever its name", async () => {
    const { root, store } = await withLog();
    await writeFile(join(root, "sessions", "README"), "what this is");
    await writeFile(join(root, "sessions", "notes.txt"), "more");
    expect(await idsOf(store)).toEqual(["s"]);
  });

  test("a listing that cannot be completed names what is in its way", async () => {
    const { root, store } = await withLog();
    const link = join(root, "sessions", "moved");
    await symlink(root, link);
    await expect(idsOf(store)).rejects.toMatchObject({
      code: "forbidden",
      sessionId: "moved",
      message: expect.stringContaining(link),
    });
  });

  test("the trace is beside the log and not in it", async () => {
    const { store, log } = await withLog();
    await store.appendTrace("s", line("one"));
    await store.appendTrace("s", line("two"));
    expect(await readFile(join(log, "..", "trace.jsonl"), "utf8")).toBe("one\ntwo\n");
    expect(await textOf(store, "s")).toBe("a\n");
  });
});
