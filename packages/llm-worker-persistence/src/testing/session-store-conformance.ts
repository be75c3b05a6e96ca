import assert from "node:assert/strict";
import type { SessionErrorCode } from "../session/session-error.js";
import type { SessionListing, SessionStore } from "../session/session-store.js";
import type { ConformanceCase } from "./conformance.js";

/** What the suite needs to know of the store. */
export interface SessionStoreConformanceOptions {
  /** Makes a new, empty store. Called once for each case. */
  readonly createStore: () => SessionStore | Promise<SessionStore>;
  /** Called after each case with its store, also after a failure. */
  readonly disposeStore?: ((store: SessionStore) => void | Promise<void>) | undefined;
}

/**
 * What every store of sessions promises, as cases for any test runner. They use `node:assert` and
 * depend on no time and no order.
 */
export function sessionStoreConformance({
  createStore,
  disposeStore,
}: SessionStoreConformanceOptions): ConformanceCase[] {
  return CASES.map(({ name, run }) => ({
    name,
    async run() {
      const store = await createStore();
      try {
        await run(store);
      } finally {
        await disposeStore?.(store);
      }
    },
  }));
}

const WRITERS = 4;
const INVALID_IDS = ["", "..", "a/b", ".hidden", "a\0", "x".repeat(129), "ä"];

const CASES: readonly {
  readonly name: string;
  readonly run: (store: SessionStore) => Promise<void>;
}[] = [
  {
    name: "what is appended is read back in order, long lines too",
    async run(store) {
      const texts = ["a", "é".repeat(100_000), "b"];
      let position = 0;
      for (const text of texts) position = await store.append("s", position, line(text));
      assert.equal(await textOf(store, "s"), texts.map((text) => `${text}\n`).join(""));
      const { position: end, tornByteCount } = await store.read("s");
      assert.deepEqual([end, tornByteCount], [position, 0]);
    },
  },
  {
    name: "several lines are appended at once",
    async run(store) {
      const position = await store.append("s", 0, Buffer.from("a\nb\n"));
      await store.append("s", position, Buffer.from("c\nd\n"));
      assert.equal(await textOf(store, "s"), "a\nb\nc\nd\n");
    },
  },
  {
    name: "of appends at one position one succeeds, the others conflict and leave nothing",
    async run(store) {
      let position = 0;
      for (let round = 0; round < 4; round += 1) {
        const at = position;
        const codes = await Promise.all(
          Array.from({ length: WRITERS }, (_, writer) =>
            codeOf(store.append("s", at, line(`${round} ${writer}`))),
          ),
        );
        const conflicts = codes.filter((code) => code === "session_conflict");
        assert.equal(conflicts.length, WRITERS - 1, codes.join());
        ({ position } = await store.read("s"));
        const lines = (await textOf(store, "s")).split("\n").filter((text) => text.trim() !== "");
        assert.equal(lines.length, round + 1);
      }
    },
  },
  {
    name: "a log that exists is not begun again, nor continued from another place than its end",
    async run(store) {
      const first = await store.append("s", 0, line("a"));
      const end = await store.append("s", first, line("b"));
      for (const position of [0, first, end + 1]) {
        assert.equal(await codeOf(store.append("s", position, line("c"))), "session_conflict");
      }
      assert.equal(await textOf(store, "s"), "a\nb\n");
    },
  },
  {
    name: "what does not exist is neither read nor continued",
    async run(store) {
      assert.equal(await codeOf(store.read("s")), "not_found");
      assert.equal(await codeOf(store.append("s", 7, line("a"))), "not_found");
    },
  },
  {
    name: "a log that is being read stays as it was when it was opened",
    async run(store) {
      const position = await store.append("s", 0, line("a"));
      const { chunks } = await store.read("s");
      await store.append("s", position, line("b"));
      assert.equal(await joined(chunks), "a\n");
    },
  },
  {
    name: "list() gives all sessions sorted by id, with their sizes",
    async run(store) {
      assert.deepEqual(await listed(store), []);
      for (const id of ["b", "a", "C"]) await store.append(id, 0, line(`session ${id}`));
      const listings = await listed(store);
      assert.deepEqual(
        listings.map(({ id }) => id),
        ["C", "a", "b"],
      );
      for (const { byteCount, modifiedAtMs } of listings) {
        assert.ok(byteCount >= 10, "byteCount");
        assert.ok(Number.isInteger(modifiedAtMs), "modifiedAtMs has to be an integer");
      }
    },
  },
  {
    name: "delete() resolves to true once; then the session is gone and others are not",
    async run(store) {
      const position = await store.append("s", 0, line("a"));
      await store.append("kept", 0, line("b"));
      await store.appendTrace?.("s", line("traced"));
      assert.deepEqual([await store.delete("s"), await store.delete("s")], [true, false]);
      assert.equal(await codeOf(store.read("s")), "not_found");
      assert.equal(await codeOf(store.append("s", position, line("c"))), "not_found");
      assert.deepEqual(
        (await listed(store)).map(({ id }) => id),
        ["kept"],
      );
    },
  },
  {
    name: "a trace is not part of the log",
    async run(store) {
      await store.append("s", 0, line("a"));
      await store.appendTrace?.("s", line("traced"));
      assert.equal(await textOf(store, "s"), "a\n");
    },
  },
  {
    name: "ids that could lead elsewhere are refused",
    async run(store) {
      for (const id of INVALID_IDS) {
        assert.equal(await codeOf(store.append(id, 0, line("a"))), "invalid_id");
        assert.equal(await codeOf(store.read(id)), "invalid_id");
        assert.equal(await codeOf(store.delete(id)), "invalid_id");
      }
    },
  },
];

function line(text: string): Uint8Array {
  return Buffer.from(`${text}\n`);
}

async function textOf(store: SessionStore, id: string): Promise<string> {
  return joined((await store.read(id)).chunks);
}

async function joined(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const copies: Uint8Array[] = [];
  for await (const chunk of chunks) copies.push(Uint8Array.from(chunk));
  return Buffer.concat(copies).toString();
}

async function listed(store: SessionStore): Promise<SessionListing[]> {
  const listings: SessionListing[] = [];
  for await (const listing of store.list()) listings.push(listing);
  return listings;
}

async function codeOf(doing: Promise<unknown>): Promise<SessionErrorCode | undefined> {
  try {
    await doing;
    return undefined;
  } catch (error) {
    assert.ok(error instanceof Error && "code" in error, "what is thrown has to have a code");
    // Compared with codes only, so it does not matter if it is another.
    return error.code as SessionErrorCode;
  }
}
