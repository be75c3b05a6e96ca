import { mkdir, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { defineTool, Worker } from "llm-worker";
import type { BlobId } from "llm-worker/blob";
import { expect, test } from "vitest";
import { createBlobId } from "../src/blob-id.js";
import { blobIdsIn, fileBlobIds, sessionBlobIds } from "../src/blob-references.js";
import { cleanUp, type CleanUpReport } from "../src/clean-up.js";
import { FsBlobStore } from "../src/fs-blob-store.js";
import { FsSessionStore } from "../src/session/fs-session-store.js";
import { MemorySessionStore } from "../src/session/memory-session-store.js";
import { Session } from "../src/session/session.js";
import type { SessionStore } from "../src/session/session-store.js";
import { calls, says, ScriptedProvider } from "./support/scripted-provider.js";
import { tempDirectory } from "./temp-directory.js";

const DAY_MS = 24 * 60 * 60 * 1000;

async function idsOf(store: FsBlobStore): Promise<BlobId[]> {
  const ids: BlobId[] = [];
  for await (const { id } of store.list()) ids.push(id);
  return ids;
}

/** Stores blobs of so many bytes, the first the oldest, a day between any two. */
async function agedBlobs(root: string, count: number, byteCount: number): Promise<BlobId[]> {
  const store = new FsBlobStore(root, { durability: "none" });
  const ids: BlobId[] = [];
  for (let i = 0; i < count; i += 1) {
    const id = await store.store({ type: "text", text: "x".repeat(byteCount) });
    const storedAt = new Date(Date.now() - (count - i) * DAY_MS);
    await utimes(join(root, "blobs", `${id}.txt`), storedAt, storedAt);
    ids.push(id);
  }
  return ids;
}

async function* nothing(): AsyncGenerator<BlobId> {}

/** A session whose history names the blobs. */
async function sessionNaming(sessions: FsSessionStore, ids: readonly BlobId[]): Promise<void> {
  const worker = new Worker({
    provider: new ScriptedProvider(),
    items: ids.flatMap((id, i) => [
      { type: "tool_call", callId: `c${i}`, name: "read", arguments: "{}" },
      {
        type: "tool_result",
        callId: `c${i}`,
        summary: `[blob:${id}] text`,
        blob: { id, kind: "text", byteCount: 1 },
      },
    ]),
  });
  await Session.start(sessions, worker);
}

test("F25: clean-up keeps what is referenced and what is being written, whatever its age", async () => {
  const root = await tempDirectory();
  const store = new FsBlobStore(root);
  const sessions = new FsSessionStore(root);
  // 14 days from the oldest to the newest, so that half of them are older than 7.
  const ids = await agedBlobs(root, 100, 19_990);
  for (const [i, id] of ids.entries()) {
    const storedAt = new Date(Date.now() - (14 - ((i + 0.5) * 14) / 100) * DAY_MS);
    await utimes(join(root, "blobs", `${id}.txt`), storedAt, storedAt);
  }
  const referenced = ids.slice(0, 10);
  await sessionNaming(sessions, referenced);
  const writer = await store.openWriter();
  await writer.write(Buffer.from("being written"));

  const options = {
    store,
    references: () => sessionBlobIds(sessions),
    maxAgeMs: 7 * DAY_MS,
    maxTotalBytes: 1_000_000,
  };
  const dry = await cleanUp({ ...options, dryRun: true });
  expect(await idsOf(store)).toEqual(ids);
  const report = await cleanUp(options);
  const { id: written } = await writer.commit();

  const left = await idsOf(store);
  expect(left).toEqual(expect.arrayContaining([...referenced, written]));
  expect(report.deleted).toEqual(dry.deleted);
  expect(report.deleted.map(({ id }) => id)).toEqual(ids.slice(10, 60));
  expect(report.deleted.map(({ reason }) => reason)).toEqual([
    ...Array<string>(40).fill("age"),
    ...Array<string>(10).fill("size"),
  ]);
  expect(report).toMatchObject({
    deletedBytes: 50 * 19_990,
    keptBytes: 50 * 19_990,
    kept: { referenced: 10, pinned: 0, recent: 0, withinLimits: 40 },
  });
  expect(left).toHaveLength(51);

  const again = await cleanUp(options);
  expect(again.deleted).toEqual([]);
  expect(await idsOf(store)).toEqual(left);
});

test("what is pinned or younger than an hour stays, whatever the rules", async () => {
  const root = await tempDirectory();
  const store = new FsBlobStore(root);
  const [pinned = "", old = ""] = await agedBlobs(root, 2, 10);
  const young = await store.store({ type: "text", text: "young" });
  const report = await cleanUp({
    store,
    references: nothing,
    pins: [pinned],
    maxAgeMs: 0,
    maxTotalBytes: 0,
  });
  expect(report.deleted.map(({ id }) => id)).toEqual([old]);
  expect(report.kept).toEqual({ referenced: 0, pinned: 1, recent: 1, withinLimits: 0 });
  expect(await idsOf(store)).toEqual([pinned, young].toSorted());
});

test.each(["minAgeMs", "maxAgeMs", "maxTotalBytes"])(
  "nothing is deleted when %s is no number",
  async (name) => {
    const root = await tempDirectory();
    const store = new FsBlobStore(root);
    const ids = await agedBlobs(root, 3, 10);
    const options = { store, references: nothing, maxAgeMs: 0, [name]: Number.NaN };
    await expect(cleanUp(options)).rejects.toThrow(`${name} is NaN; it has to be a number`);
    expect(await idsOf(store)).toEqual(ids);
  },
);

test("nothing is deleted when the references cannot be read", async () => {
  const root = await tempDirectory();
  const store = new FsBlobStore(root);
  const ids = await agedBlobs(root, 3, 10);
  const references = async function* (): AsyncGenerator<BlobId> {
    yield ids[0] ?? "";
    throw new Error("no right to read this log");
  };
  await expect(cleanUp({ store, references, maxAgeMs: 0 })).rejects.toThrow("no right");
  expect(await idsOf(store)).toEqual(ids);
});

test("a deletion that fails ends the clean-up, and no other goes on behind it", async () => {
  const root = await tempDirectory();
  const store = new FsBlobStore(root);
  await agedBlobs(root, 40, 10);
  let asked = 0;
  const failing = {
    list: () => store.list(),
    delete: async (id: BlobId) => {
      asked += 1;
      if (asked === 1) throw new Error("the disk is gone");
      return store.delete(id);
    },
  };
  await expect(cleanUp({ store: failing, references: nothing, maxAgeMs: 0 })).rejects.toThrow(
    "the disk is gone",
  );
  const left = await idsOf(store);
  expect(left).toHaveLength(40 - asked + 1);
  expect(await idsOf(store)).toEqual(left);
  expect(asked).toBeLessThan(20);
});

test("a blob that is named while the clean-up works is kept", async () => {
  const root = await tempDirectory();
  const store = new FsBlobStore(root);
  const [late = "", other = ""] = await agedBlobs(root, 2, 10);
  let looks = 0;
  const references = async function* (): AsyncGenerator<BlobId> {
    looks += 1;
    if (looks === 2) yield late;
  };
  const report = await cleanUp({ store, references, maxAgeMs: 0 });
  expect(report.deleted.map(({ id }) => id)).toEqual([other]);
  expect(report.kept.referenced).toBe(1);
});

test("ids are found wherever the bytes are cut", async () => {
  const ids = Array.from({ length: 5 }, createBlobId);
  const bytes = Buffer.from(`{"a":"${ids.join("x")}"}é${ids[0]}`);
  for (let size = 1; size <= 80; size += 1) {
    const chunks = async function* (): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    };
    const found: BlobId[] = [];
    for await (const id of blobIdsIn(chunks())) found.push(id);
    expect(found).toEqual([...ids, ids[0]]);
  }
});

test("files of a directory count whatever they are, through links and without circles", async () => {
  const root = await tempDirectory();
  const [inFile, inInner, linked] = [createBlobId(), createBlobId(), createBlobId()];
  const elsewhere = await tempDirectory();
  await mkdir(join(root, "inner"));
  await writeFile(join(root, "snapshot.json"), `{"torn": "${inFile}`);
  await writeFile(
    join(root, "inner", "log.jsonl"),
    Buffer.from([0xff, 0, ...Buffer.from(inInner)]),
  );
  await writeFile(join(elsewhere, "log"), linked);
  await symlink(elsewhere, join(root, "linked"));
  await symlink(root, join(root, "inner", "circle"));
  await symlink(join(root, "gone"), join(root, "broken"));
  const found: BlobId[] = [];
  for await (const id of fileBlobIds(root)) found.push(id);
  expect(found.toSorted()).toEqual([inFile, inInner, linked].toSorted());
});

test("a session that is deleted while it is read names nothing", async () => {
  const sessions = new MemorySessionStore();
  await sessions.append("gone", 0, Buffer.from(`${createBlobId()}\n`));
  const listing = sessions.list();
  sessions.list = async function* () {
    for await (const entry of listing) {
      await sessions.delete(entry.id);
      yield entry;
    }
  };
  const found: BlobId[] = [];
  for await (const id of sessionBlobIds(sessions)) found.push(id);
  expect(found).toEqual([]);
});

test("so it is in a store of one's own, whose errors have no more than the codes", async () => {
  const deleted: Pick<SessionStore, "list" | "read"> = {
    list: async function* () {
      yield { id: "gone", byteCount: 1, modifiedAtMs: 0 };
    },
    read: () => Promise.reject(Object.assign(new Error("gone"), { code: "not_found" })),
  };
  const sessions = Object.assign(new MemorySessionStore(), deleted);
  const found: BlobId[] = [];
  for await (const id of sessionBlobIds(sessions)) found.push(id);
  expect(found).toEqual([]);
});

/** More for a long look: the suite has to stay short. */
const ROUNDS = Number(process.env["LLM_WORKER_GC_ROUNDS"] ?? 8);

test(
  "clean-up beside a writer loses no referenced and no just-written blob",
  async () => {
    const root = await tempDirectory();
    const store = new FsBlobStore(root, { durability: "none" });
    const sessions = new FsSessionStore(root, { durability: "none" });
    const tool = defineTool({
      name: "print",
      description: "Prints lines.",
      input: { type: "object" },
      execute: () => "a line of an output\n".repeat(100),
    });
    const abandoned = await agedBlobs(root, ROUNDS * 3, 100);
    const provider = new ScriptedProvider();
    const worker = new Worker({ provider, store, tools: [tool] });
    await Session.start(sessions, worker);
    let isWriting = true;
    let round = 0;
    const cleaning = async (): Promise<CleanUpReport[]> => {
      const reports: CleanUpReport[] = [];
      while (isWriting) {
        reports.push(
          await cleanUp({
            store,
            references: () => sessionBlobIds(sessions),
            maxTotalBytes: 0,
            maxAgeMs: (ROUNDS * 3 - round) * DAY_MS,
          }),
        );
      }
      return reports;
    };
    const cleaned = cleaning();
    for (; round < ROUNDS; round += 1) {
      provider.answers.push(
        calls({ name: "print", callId: `a${round}` }, { name: "print", callId: `b${round}` }),
        says("ok"),
      );
      await worker.run("print");
    }
    isWriting = false;
    const deleted = new Set(
      (await cleaned).flatMap((report) => report.deleted.map(({ id }) => id)),
    );
    expect([...deleted].toSorted()).toEqual(abandoned);
    const named = worker.items.flatMap((item) =>
      item.type === "tool_result" && item.blob !== undefined ? [item.blob.id] : [],
    );
    expect(named).toHaveLength(ROUNDS * 2);
    for (const id of named) expect(await store.exists(id)).toBe(true);
  },
  30_000 + ROUNDS * 1000,
);
