import {
  createInspectTool,
  defineTool,
  type Event,
  type Provider,
  type ReadBackAnswer,
  Worker,
} from "llm-worker";
import { describe, expect, test } from "vitest";
import { sessionBlobIds } from "../src/blob-references.js";
import { createBlobId } from "../src/blob-id.js";
import { cleanUp } from "../src/clean-up.js";
import { FsBlobStore } from "../src/fs-blob-store.js";
import type { Durability } from "../src/fs-directory.js";
import { MemoryBlobStore } from "../src/memory-blob-store.js";
import { FsSessionStore } from "../src/session/fs-session-store.js";
import { Session } from "../src/session/session.js";
import { CountingFileSystem, type FileCounts } from "./support/counting-file-system.js";
import { calls, says } from "./support/scripted-provider.js";
import { tempDirectory } from "./temp-directory.js";

// Work is counted and not timed, at one size and at four times that size: a path that has become
// quadratic does 16 times the work, however fast the machine is.
const TIMES = 4;
/** The numbers of a longer index may take a byte more each. */
const INDEX_SLACK = 1.001;
const LINE = "2026-01-01T00:00:00Z a line as logs have them, neither short nor long\n";

function totalCalls({ calls: byName }: FileCounts): number {
  return Object.values(byName).reduce((sum, count) => sum + count, 0);
}

/** A store whose directory is there already, and what it asks of its file system. */
async function warmStore(
  durability: Durability = "fsync",
): Promise<{ store: FsBlobStore; counting: CountingFileSystem }> {
  const counting = new CountingFileSystem();
  const { fileSystem } = counting;
  const store = new FsBlobStore(await tempDirectory(), { fileSystem, durability });
  await store.store({ type: "text", text: "the first makes the directory" });
  counting.take();
  return { store, counting };
}

async function sessionStore({ fileSystem }: CountingFileSystem): Promise<FsSessionStore> {
  return new FsSessionStore(await tempDirectory(), { fileSystem, durability: "none" });
}

describe("a blob", () => {
  test("is one file that is written, synced and renamed once, and from 256 KiB on one beside it", async () => {
    const { store, counting } = await warmStore();
    const costOf = async (lines: number): Promise<FileCounts> => {
      await store.store({ type: "text", text: LINE.repeat(lines) });
      return counting.take();
    };
    const small = { open: 2, rename: 1, "handle.sync": 2, "handle.close": 2, lstat: 1 };
    for (const lines of [1, 100, 3000]) {
      const { calls: made, writtenBytes } = await costOf(lines);
      expect(made).toEqual({ ...small, "handle.write": 1 });
      expect(writtenBytes).toBe(lines * LINE.length);
    }
    const [large, larger] = [await costOf(10_000), await costOf(TIMES * 10_000)];
    for (const { calls: made } of [large, larger]) {
      expect(made).toMatchObject({ open: 3, rename: 2, "handle.sync": 3, "handle.close": 3 });
    }
    expect(larger.calls["handle.write"]).toBeLessThanOrEqual(
      TIMES * (large.calls["handle.write"] ?? 0),
    );
    expect(larger.writtenBytes).toBeLessThan(TIMES * large.writtenBytes * INDEX_SLACK);
    expect(larger.writtenBytes).toBeLessThan(1.01 * TIMES * 10_000 * LINE.length);
  });

  test("that is streamed costs a write for each piece, and nothing more for more of them", async () => {
    const { store, counting } = await warmStore();
    const costOf = async (pieces: number): Promise<FileCounts> => {
      const writer = await store.openWriter();
      for (let i = 0; i < pieces; i++) await writer.write(Buffer.from(LINE.repeat(1000)));
      await writer.commit();
      return counting.take();
    };
    const [small, large] = [await costOf(10), await costOf(TIMES * 10)];
    const writes = (counts: FileCounts): number => counts.calls["handle.write"] ?? 0;
    expect(writes(large)).toBeLessThanOrEqual(TIMES * writes(small));
    expect(totalCalls(large) - writes(large)).toBe(totalCalls(small) - writes(small));
    expect(large.writtenBytes).toBeLessThan(TIMES * small.writtenBytes * INDEX_SLACK);
    expect(large.readBytes).toBe(0);
  });

  test("costs the same whether it is the first or one of many", async () => {
    const { store, counting } = await warmStore();
    const storeMany = async (count: number): Promise<FileCounts> => {
      for (let i = 0; i < count; i++) await store.store({ type: "text", text: `output ${i}` });
      return counting.take();
    };
    const [few, many] = [await storeMany(20), await storeMany(TIMES * 20)];
    expect(totalCalls(many)).toBe(TIMES * totalCalls(few));
  });

  test("of four times the size is inspected with the same reads", async () => {
    const { store, counting } = await warmStore();
    const inspect = createInspectTool({ store });
    const costsOf = async (lines: number): Promise<FileCounts[]> => {
      const id = await store.store({ type: "text", text: LINE.repeat(lines) });
      const costs: FileCounts[] = [];
      for (const selector of [
        `lines:${lines - 20}-${lines - 10}`,
        `lines:${lines >> 1}-${(lines >> 1) + 5}`,
      ]) {
        counting.take();
        const context = { callId: "c", signal: new AbortController().signal };
        // The tool says what it resolves with; a tool in general says nothing of it.
        const answer = (await inspect.execute(
          { blob_id: id, selector },
          context,
        )) as ReadBackAnswer;
        expect(answer).toMatchObject({ isError: false, text: expect.stringContaining(LINE) });
        costs.push(counting.take());
      }
      return costs;
    };
    const [small, large] = [await costsOf(20_000), await costsOf(TIMES * 20_000)];
    for (const [i, cost] of large.entries()) {
      expect(totalCalls(cost)).toBe(totalCalls(small[i] ?? cost));
      // The index is read with it: about 0.1 % of the blob.
      const indexBytes = 0.002 * TIMES * 20_000 * LINE.length;
      expect(cost.readBytes).toBeLessThanOrEqual((small[i]?.readBytes ?? 0) + indexBytes);
    }
  });
});

/** Calls `print` in each of so many turns, and then is done; keeps nothing of the requests. */
function callsFor(turns: number): Provider {
  let asked = 0;
  return {
    name: "scripted",
    model: "scripted-1",
    async *stream(): AsyncGenerator<readonly Event[], void, undefined> {
      asked += 1;
      yield asked > turns ? says("done") : calls({ name: "print", callId: `c${asked}` });
    },
  };
}

const printer = defineTool({
  name: "print",
  description: "Prints.",
  input: { type: "object" },
  execute: () => LINE.repeat(30),
});

describe("a session", () => {
  test("appends what is new, with the same operations at any length, and is read once to be restored", async () => {
    const costOf = async (turns: number): Promise<{ run: FileCounts; restore: FileCounts }> => {
      const counting = new CountingFileSystem();
      const sessions = await sessionStore(counting);
      const store = new MemoryBlobStore();
      const worker = new Worker({
        provider: callsFor(turns),
        tools: [printer],
        store,
        limits: { maxTurns: turns + 1 },
      });
      const session = await Session.start(sessions, worker);
      await worker.run("go");
      const run = counting.take();
      await session.close();
      counting.take();
      const { snapshot } = await Session.open(sessions, session.id);
      expect(snapshot.items).toHaveLength(worker.items.length);
      return { run, restore: counting.take() };
    };
    const [small, large] = [await costOf(25), await costOf(TIMES * 25)];
    expect(totalCalls(large.run)).toBeLessThanOrEqual(TIMES * totalCalls(small.run));
    // Each append is written twice: as a claim, and into the log. Its numbers take more digits later.
    expect(large.run.writtenBytes).toBeLessThanOrEqual(1.02 * TIMES * small.run.writtenBytes);
    expect(large.run.readBytes).toBeLessThanOrEqual(TIMES * small.run.readBytes);
    expect(large.restore.readBytes).toBeLessThanOrEqual(large.run.writtenBytes / 2 + 4096);
    expect(totalCalls(large.restore)).toBeLessThanOrEqual(TIMES * totalCalls(small.restore));
  });
});

describe("a clean-up", () => {
  test("lists each blob once, reads each log twice at most, and deletes with a fixed cost each", async () => {
    const costOf = async (count: number): Promise<{ blobs: FileCounts; sessions: FileCounts }> => {
      const { store, counting: blobs } = await warmStore("none");
      const sessionFiles = new CountingFileSystem();
      const sessions = await sessionStore(sessionFiles);
      for (let i = 0; i < count; i++) {
        const named = await store.store({ type: "text", text: `named ${i}` });
        await store.store({ type: "text", text: `not named ${i}` });
        await sessions.append(createBlobId(), 0, Buffer.from(`{"blob":"${named}"}\n`));
      }
      blobs.take();
      sessionFiles.take();
      const report = await cleanUp({
        store,
        references: () => sessionBlobIds(sessions),
        maxAgeMs: 0,
        minAgeMs: 0,
        now: () => Date.now() + 1000,
      });
      // With the one that made the directory.
      expect(report.deleted).toHaveLength(count + 1);
      expect(report.kept.referenced).toBe(count);
      return { blobs: blobs.take(), sessions: sessionFiles.take() };
    };
    const [small, large] = [await costOf(15), await costOf(TIMES * 15)];
    expect(large.blobs.calls["opendir"]).toBe(small.blobs.calls["opendir"]);
    expect(totalCalls(large.blobs)).toBeLessThanOrEqual(TIMES * totalCalls(small.blobs));
    expect(totalCalls(large.sessions)).toBeLessThanOrEqual(TIMES * totalCalls(small.sessions));
    expect(large.sessions.readBytes).toBe(TIMES * small.sessions.readBytes);
  });
});
