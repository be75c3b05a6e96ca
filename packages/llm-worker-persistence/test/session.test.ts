import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  defineTool,
  type Item,
  messageText,
  type Phase,
  prune,
  summaryAndContent,
  type ToolResultItem,
  Worker,
  type WorkerDeps,
} from "llm-worker";
import { expect, test } from "vitest";
import { FsBlobStore } from "../src/fs-blob-store.js";
import { FsSessionStore } from "../src/session/fs-session-store.js";
import { MemorySessionStore } from "../src/session/memory-session-store.js";
import { readSessionEntries } from "../src/session/replay.js";
import { Session } from "../src/session/session.js";
import type { SessionEntry } from "../src/session/session-entry.js";
import type { SessionError } from "../src/session/session-error.js";
import type { LogPosition, SessionStore } from "../src/session/session-store.js";
import { calls, says, ScriptedProvider } from "./support/scripted-provider.js";
import { tempDirectory } from "./temp-directory.js";

let produced = 0;
const printer = defineTool({
  name: "print",
  description: "Prints lines.",
  input: { type: "object" },
  execute: () => `output ${++produced}\n`.repeat(400),
});

function workerOf(...answers: ConstructorParameters<typeof ScriptedProvider>): Worker {
  return new Worker({ provider: new ScriptedProvider(...answers), tools: [printer] });
}

async function entriesOf(store: SessionStore, id: string): Promise<SessionEntry[]> {
  const entries: SessionEntry[] = [];
  for await (const entry of readSessionEntries(store, id)) entries.push(entry);
  return entries;
}

async function reopened(
  store: SessionStore,
  id: string,
  deps: WorkerDeps,
): Promise<{ readonly session: Session; readonly worker: Worker<Phase> }> {
  const session = await Session.open(store, id);
  const worker = Worker.restore(session.snapshot, deps);
  await session.attach(worker);
  return { session, worker };
}

function failure(promise: Promise<unknown>): Promise<SessionError> {
  return promise.then(
    () => expect.fail("it did not fail"),
    (error: unknown) => error as SessionError,
  );
}

function resultsOf(items: readonly Item[]): ToolResultItem[] {
  return items.filter((item): item is ToolResultItem => item.type === "tool_result");
}

test("a run is told in entries that people can read", async () => {
  const sessions = new MemorySessionStore();
  const worker = workerOf(calls({ name: "print", callId: "c1" }), says("ok"), says("more"));
  const session = await Session.start(sessions, worker, { id: "ticket-42", now: () => 5 });
  await worker.run("go");
  worker.lock();
  await session.save();
  const entries = await entriesOf(sessions, "ticket-42");
  expect(entries.map(({ type }) => type)).toEqual([
    "session_start",
    "user_input",
    "assistant_items",
    "tool_results",
    "tool_results",
    "turn_end",
    "assistant_items",
    "turn_end",
    "run_outcome",
    "cache_locked",
  ]);
  expect(entries.map(({ v, seq, atMs }) => [v, seq, atMs])).toEqual(
    entries.map((_, seq) => [1, seq, 5]),
  );
  expect(entries[8]).toMatchObject({ status: "finished", turns: 2, usage: { inputTokens: 20 } });
  expect(session.entryCount).toBe(entries.length);
});

test("a prompt is in the log before its request goes out, a call before it runs", async () => {
  const sessions = new MemorySessionStore();
  const seen: string[][] = [];
  const look = async (): Promise<void> => {
    seen.push((await entriesOf(sessions, "s")).map(({ type }) => type).slice(1));
  };
  const scripted = new ScriptedProvider(calls({ name: "look", callId: "c1" }), says("ok"));
  const worker = new Worker({
    provider: {
      name: "looking",
      model: "looking-1",
      async *stream(request, options) {
        await look();
        yield* scripted.stream(request, options);
      },
    },
    tools: [
      defineTool({ name: "look", description: "Looks.", input: { type: "object" }, execute: look }),
    ],
  });
  await Session.start(sessions, worker, { id: "s" });
  await worker.run("go");
  expect(seen).toEqual([
    ["user_input"],
    ["user_input", "assistant_items"],
    ["user_input", "assistant_items", "tool_results", "tool_results", "turn_end"],
  ]);
});

test("F24: a new process goes on byte by byte from the log, and is told of a blob that has vanished", async () => {
  const root = await tempDirectory();
  const store = new FsBlobStore(root);
  const sessions = new FsSessionStore(root);
  const first = new Worker({
    provider: new ScriptedProvider(
      ...[1, 2, 3].map((n) => calls({ name: "print", callId: `c${n}` })),
      says("printed"),
    ),
    store,
    tools: [printer],
  });
  const started = await Session.start(sessions, first);
  await first.run("print three times");
  await started.close();

  const prunedProvider = new ScriptedProvider(
    calls({ name: "print", callId: "c4" }),
    says("ok"),
    says("ok"),
  );
  const second = await reopened(sessions, started.id, {
    provider: prunedProvider,
    store,
    tools: [printer],
    policy: summaryAndContent(),
  });
  second.worker.hook("preLlmRequest", prune({ store, protectedTurns: 1, minSavingsTokens: 100 }));
  await second.worker.run("once more");
  await second.worker.run("and now?");
  await second.session.close();
  expect((await entriesOf(sessions, started.id)).map(({ type }) => type)).toContain("pruned");

  const ids = resultsOf(second.worker.items).map(({ blob }) => blob?.id ?? "");
  const [gone = "", ...kept] = ids;
  expect(kept).toHaveLength(3);
  await store.delete(gone);
  const provider = new ScriptedProvider(
    calls(
      ...[...kept, gone].map((id, i) => ({
        name: "inspect",
        callId: `i${i}`,
        input: { blob_id: id },
      })),
    ),
    says("read"),
  );
  const third = await reopened(new FsSessionStore(root), started.id, {
    provider,
    store: new FsBlobStore(root),
    tools: [printer],
  });
  expect(await third.worker.run("go on")).toMatchObject({ status: "finished" });

  const before = JSON.stringify(prunedProvider.requests.at(-1)?.items).slice(0, -1);
  expect(JSON.stringify(provider.requests[0]?.items).startsWith(before)).toBe(true);
  const note = provider.requests[0]?.items.at(-1);
  expect(note?.type === "message" && messageText(note)).toMatch(
    new RegExp(`no longer exist[^]*\\[blob:${gone}\\] text \\| 400 \\| `),
  );
  const answers = resultsOf(third.worker.items).slice(-4);
  expect(answers.map(({ summary }) => summary.includes("lines 1-"))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(answers[3]).toMatchObject({
    isError: true,
    summary: expect.stringContaining("no longer exists"),
  });
});

test("of two workers that continue one session, the second is refused before its request", async () => {
  const root = await tempDirectory();
  const worker = workerOf(says("one"));
  const { id } = await Session.start(new FsSessionStore(root), worker);
  const provider = new ScriptedProvider(says("two"), says("two"));
  const other = await reopened(new FsSessionStore(root), id, { provider });
  await worker.run("first");
  expect(await failure(other.worker.run("second"))).toMatchObject({
    code: "session_conflict",
    sessionId: id,
  });
  expect((await failure(other.worker.run("second"))).code).toBe("session_conflict");
  expect(provider.requests).toEqual([]);
  const { snapshot } = await Session.open(new FsSessionStore(root), id);
  expect(snapshot).toEqual(worker.snapshot());
});

test("a session is not begun over another", async () => {
  const sessions = new MemorySessionStore();
  await Session.start(sessions, workerOf(), { id: "s" });
  const error = await failure(Session.start(sessions, workerOf(), { id: "s" }));
  expect(error).toMatchObject({ code: "session_conflict" });
  expect(error.message).toContain("already");
});

test("a fork goes on from any entry and leaves the session as it is", async () => {
  const sessions = new MemorySessionStore();
  const worker = workerOf(calls({ name: "print", callId: "c1" }), says("ok"), says("more"));
  const session = await Session.start(sessions, worker);
  await worker.run("go");
  const whole = worker.snapshot();
  for (let at = 1; at <= session.entryCount; at += 1) {
    const fork = await Session.fork(sessions, session.id, { at });
    const other = Worker.restore(fork.snapshot, {
      provider: new ScriptedProvider(says("other")),
      tools: [printer],
    });
    await fork.attach(other);
    if (other.pauseReason === undefined) await other.run("on another way");
    else await other.resume();
    const copy = await Session.open(sessions, fork.id);
    expect(copy.snapshot).toEqual(other.snapshot());
    expect((await entriesOf(sessions, fork.id))[0]).toMatchObject({
      forkedFrom: { sessionId: session.id, entryCount: at },
    });
  }
  expect((await Session.open(sessions, session.id)).snapshot).toEqual(whole);
  await expect(Session.fork(sessions, session.id, { at: 0 })).rejects.toThrow(RangeError);
  expect((await failure(Session.fork(sessions, session.id, { at: 99 }))).code).toBe("corrupt");
});

test("calls that had no result when the process died run again, and only those", async () => {
  const sessions = new MemorySessionStore();
  const ran: string[] = [];
  let release = (): void => undefined;
  const slow = defineTool({
    name: "slow",
    description: "Waits.",
    input: { type: "object" },
    execute: (_input, { callId }) => {
      ran.push(callId);
      if (callId === "fast" || ran.length > 2) return `${callId} done`;
      return new Promise<string>((resolve) => {
        release = () => resolve("too late");
      });
    },
  });
  const script = calls({ name: "slow", callId: "fast" }, { name: "slow", callId: "late" });
  const worker = new Worker({ provider: new ScriptedProvider(script), tools: [slow] });
  const { id } = await Session.start(sessions, worker);
  const fastEnded = new Promise<void>((resolve) => {
    worker.onEvent((event) => {
      if (event.type === "tool_end" && event.callId === "fast") resolve();
    });
  });
  const dying = worker.run("go");
  await fastEnded;
  const next = await reopened(sessions, id, {
    provider: new ScriptedProvider(says("ok")),
    tools: [slow],
  });
  expect(next.worker.pauseReason).toBe("interrupted");
  await next.worker.resume();
  expect(ran).toEqual(["fast", "late", "late"]);
  expect(resultsOf(next.worker.items).map(({ summary }) => summary)).toEqual([
    "fast done",
    "late done",
  ]);
  release();
  expect((await failure(dying)).code).toBe("session_conflict");
});

test("what could not be appended is appended later, without a gap", async () => {
  class FullForAWhile extends MemorySessionStore {
    isFull = false;
    override async append(id: string, at: LogPosition, lines: Uint8Array): Promise<LogPosition> {
      if (this.isFull) throw Object.assign(new Error("no space"), { code: "no_space" });
      return super.append(id, at, lines);
    }
  }
  const sessions = new FullForAWhile();
  const provider = new ScriptedProvider(says("ok"));
  const worker = new Worker({ provider });
  const session = await Session.start(sessions, worker);
  sessions.isFull = true;
  expect((await failure(worker.run("go"))).code).toBe("no_space");
  expect(provider.requests).toEqual([]);
  sessions.isFull = false;
  await worker.run();
  expect((await Session.open(sessions, session.id)).snapshot).toEqual(worker.snapshot());
});

test("a torn last line is dropped and reported, and the session goes on", async () => {
  const root = await tempDirectory();
  const worker = workerOf(says("ok"));
  const { id } = await Session.start(new FsSessionStore(root), worker);
  await worker.run("go");
  await appendFile(join(root, "sessions", id, "log.jsonl"), '{"v":1,"seq":99,"type":"us');
  const next = await reopened(new FsSessionStore(root), id, {
    provider: new ScriptedProvider(says("again")),
  });
  expect(next.session.tornByteCount).toBe(26);
  expect(next.worker.items).toEqual(worker.items);
  await next.worker.run("more");
  const { snapshot, tornByteCount } = await Session.open(new FsSessionStore(root), id);
  expect(tornByteCount).toBe(0);
  expect(snapshot).toEqual(next.worker.snapshot());
});

test.each([
  ["is not JSON", (line: string) => line.slice(0, -4), "corrupt"],
  ["is no entry", () => "[1]", "corrupt"],
  ["is repeated", (line: string) => `${line}\n${line}`, "corrupt"],
  ["is missing", () => "", "corrupt"],
  ["lacks a field", (line: string) => line.replace('"items"', '"item"'), "corrupt"],
  [
    "is of a later version",
    (line: string) => line.replace('"v":1', '"v":2'),
    "unsupported_version",
  ],
  [
    "has an unknown type",
    (line: string) => line.replace("assistant_items", "dream"),
    "unsupported_version",
  ],
] as const)("a line in the middle that %s is named by its number", async (_what, damage, code) => {
  const root = await tempDirectory();
  const worker = workerOf(says("ok"));
  const { id } = await Session.start(new FsSessionStore(root), worker);
  await worker.run("go");
  const path = join(root, "sessions", id, "log.jsonl");
  const lines = (await readFile(path, "utf8")).split("\n");
  lines[2] = damage(lines[2] ?? "");
  await writeFile(path, lines.join("\n"));
  const sessions = new FsSessionStore(root);
  const error = await failure(Session.open(sessions, id));
  expect(error.code).toBe(code);
  expect([3, 4]).toContain(error.lineNumber);
  expect(error.message).toMatch(/backup|version/);
  const fork = await Session.fork(sessions, id, { at: 2 });
  expect(fork.snapshot.items).toHaveLength(1);
});

test.each([
  [
    "whose snapshot lacks a field",
    0,
    (line: string) => line.replace("knownBlobIds", "knownBlobIdz"),
  ],
  ["whose blobs are no list", 2, (line: string) => line.replace('"type"', '"blobIds":7,"type"')],
  [
    "that refers to a result that is not there",
    2,
    (line: string) =>
      line.replace(
        /"type":.*/,
        '"type":"tool_results","items":[{"type":"recorded","position":7}]}',
      ),
  ],
] as const)("an entry %s is named by its line, blank ones counted", async (_what, at, damage) => {
  const root = await tempDirectory();
  const worker = workerOf(says("ok"));
  const { id } = await Session.start(new FsSessionStore(root), worker);
  await worker.run("go");
  const path = join(root, "sessions", id, "log.jsonl");
  const lines = (await readFile(path, "utf8")).split("\n");
  lines[at] = `    \n${damage(lines[at] ?? "")}`;
  await writeFile(path, lines.join("\n"));
  const error = await failure(Session.open(new FsSessionStore(root), id));
  expect(error).toMatchObject({ code: "corrupt", lineNumber: at + 2, sessionId: id });
});

test("every event of a run is in the trace, if it is wanted", async () => {
  const sessions = new MemorySessionStore();
  const worker = workerOf(says("ok"));
  const session = await Session.start(sessions, worker, { trace: true });
  const events: string[] = [];
  worker.onEvent(({ type }) => events.push(type));
  await worker.run("go");
  await session.close();
  const lines = (await sessions.readTrace(session.id)).trimEnd().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(events);
});

test("a trace that cannot be written is reported once and the session goes on", async () => {
  const sessions: SessionStore = new MemorySessionStore();
  const failures: unknown[] = [];
  const worker = workerOf(says("ok"), says("ok"));
  const session = await Session.start(
    {
      append: sessions.append.bind(sessions),
      read: sessions.read.bind(sessions),
      list: sessions.list.bind(sessions),
      delete: sessions.delete.bind(sessions),
    },
    worker,
    { trace: true, onTraceFailure: (error) => failures.push(error) },
  );
  await worker.run("go");
  await worker.run("on");
  await session.close();
  expect(failures).toHaveLength(1);
  expect((await Session.open(sessions, session.id)).snapshot).toEqual(worker.snapshot());
});

test("a closed session logs no more", async () => {
  const sessions = new MemorySessionStore();
  const worker = workerOf(says("ok"));
  const session = await Session.start(sessions, worker);
  await session.close();
  await worker.run("go");
  expect((await Session.open(sessions, session.id)).snapshot.items).toEqual([]);
  expect((await failure(session.save())).code).toBe("closed");
  expect((await failure(session.attach(worker))).code).toBe("closed");
});
