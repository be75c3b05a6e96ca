import assert from "node:assert/strict";
import {
  defineTool,
  type Event,
  type Item,
  type Phase,
  prune,
  RunError,
  type Tool,
  Worker,
  type WorkerDeps,
  type WorkerSnapshot,
} from "llm-worker";
import fc from "fast-check";
import { MemoryBlobStore } from "../../src/memory-blob-store.js";
import { MemorySessionStore } from "../../src/session/memory-session-store.js";
import { Session } from "../../src/session/session.js";
import type { LogPosition } from "../../src/session/session-store.js";
import { calls, finished, says, ScriptedProvider } from "./scripted-provider.js";

type Answer = readonly ToolName[] | "text" | "thinking" | "error" | "cut" | "refusal";

/** What one step of a random program does. */
export type Step =
  | { readonly do: "go_on"; readonly answers: readonly Answer[]; readonly abortAfter: number }
  | { readonly do: "lock" | "unlock" | "restore" | "prune" | "compact" | "edit" | "configure" };

let serial = 0;
const large = (): string => `output ${++serial}\n`.repeat(80);

/** What a tool does, by its name. `pausing` is held back by a hook. */
const behaviours = {
  small: () => `small ${++serial}`,
  large,
  pausing: large,
  failing: () => {
    throw new Error("failed");
  },
  async *streaming() {
    for (let piece = 0; piece < 3; piece += 1) yield large();
  },
} as const;
type ToolName = keyof typeof behaviours;
const toolNames = Object.keys(behaviours) as ToolName[];

const tools: readonly Tool[] = Object.entries(behaviours).map(([name, execute]) =>
  defineTool({ name, description: `Tool ${name}.`, input: { type: "object" }, execute }),
);

const answer: fc.Arbitrary<Answer> = fc.oneof(
  fc.constantFrom("text", "thinking", "error", "cut", "refusal"),
  { weight: 2, arbitrary: fc.array(fc.constantFrom(...toolNames), { minLength: 1, maxLength: 3 }) },
);

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("go_on" as const),
      answers: fc.array(answer, { maxLength: 4 }),
      abortAfter: fc.oneof(fc.constant(Infinity), fc.nat(25)),
    }),
  },
  fc.record({
    do: fc.constantFrom(
      "lock" as const,
      "unlock" as const,
      "restore" as const,
      "prune" as const,
      "compact" as const,
      "edit" as const,
      "configure" as const,
    ),
  }),
);

function eventsOf(made: Answer, prefix: string): readonly Event[] {
  switch (made) {
    case "text":
      return says("some words");
    case "thinking":
      return [
        { type: "block_start", index: 7, kind: "thinking" },
        { type: "block_delta", index: 7, text: "hm" },
        { type: "block_stop", index: 7 },
        ...says("some words"),
      ];
    case "error":
      return [{ type: "error", error: { code: "overloaded", message: "busy", retryable: true } }];
    case "cut":
      return says("some words").slice(0, 2);
    case "refusal":
      return [
        ...calls({ name: "large", callId: `${prefix}r` }).slice(0, 3),
        ...finished("refusal"),
      ];
    default:
      return calls(...made.map((name, i) => ({ name, callId: `${prefix}${i}` })));
  }
}

/** Reports how the log reads after each append. */
class WatchedSessionStore extends MemorySessionStore {
  readonly states: string[] = [];

  override async append(
    id: string,
    position: LogPosition,
    lines: Uint8Array,
  ): Promise<LogPosition> {
    const next = await super.append(id, position, lines);
    this.states.push(canonical((await Session.open(this, id)).snapshot));
    return next;
  }
}

/** A worker with a session that a program is run on, and what has to stay true of the log. */
export class RandomSession {
  readonly sessions: WatchedSessionStore = new WatchedSessionStore();
  readonly store: MemoryBlobStore = new MemoryBlobStore();
  readonly #provider = new ScriptedProvider();
  /** What the worker remembered at each checkpoint. */
  readonly #checkpoints = new Set<string>();
  readonly #deps: WorkerDeps = { provider: this.#provider, tools, store: this.store };
  #worker: Worker<Phase> = this.#equip(new Worker(this.#deps));
  #session: Session | undefined;
  #turns = 0;

  async start(): Promise<void> {
    this.#session = await Session.start(this.sessions, this.#worker);
  }

  async take(taken: Step): Promise<void> {
    const worker = this.#worker;
    // Which methods a phase has is asked for in each case.
    const mutable = worker as Worker;
    const canEdit = worker.phase === "mutable" && worker.pauseReason === undefined;
    switch (taken.do) {
      case "go_on":
        return this.#goOn(taken.answers, taken.abortAfter);
      case "restore":
        await this.#session?.close();
        this.#session = await Session.open(this.sessions, this.#id);
        this.#worker = this.#equip(Worker.restore(this.#session.snapshot, this.#deps));
        return this.#session.attach(this.#worker);
      case "lock":
        if (canEdit) mutable.lock();
        return;
      case "unlock":
        if (worker.phase === "cache_locked") (worker as Worker<"cache_locked">).unlock();
        return;
      case "prune":
        worker.hook(
          "preLlmRequest",
          prune({ store: this.store, protectedTurns: 1, minSavingsTokens: 50 }),
        );
        return;
      case "compact":
        worker.hook("preLlmRequest", ({ items, lockedItemCount }) =>
          items.length < 12
            ? undefined
            : { items: compacted(items, lockedItemCount), scope: "history" },
        );
        return;
      case "edit":
        if (canEdit)
          mutable.setItems(
            [...worker.items.slice(2), ...worker.items.slice(0, 1)].filter(isMessage),
          );
        return;
      case "configure":
        if (canEdit) {
          mutable.setSystemPrompt(serial % 2 === 0 ? `prompt ${serial}` : undefined);
          mutable.setGeneration(serial % 3 === 0 ? undefined : { maxOutputTokens: ++serial });
        }
    }
  }

  /** The log says what the worker remembers, and said it after each append. */
  async check(): Promise<void> {
    const { snapshot } = await Session.open(this.sessions, this.#id);
    assert.deepEqual(snapshot, this.#worker.snapshot());
    for (const state of this.sessions.states) {
      assert.ok(this.#checkpoints.has(state), "the log had a state that the worker never had");
    }
    this.sessions.states.length = 0;
  }

  /** Wherever a log is cut, what is left can be continued. */
  async checkCutAt(share: number): Promise<void> {
    const { entryCount } = await Session.open(this.sessions, this.#id);
    const at = 1 + Math.floor(share * (entryCount - 1));
    const fork = await Session.fork(this.sessions, this.#id, { at });
    const worker = Worker.restore(fork.snapshot, this.#deps);
    await fork.attach(worker);
    this.#provider.answers.length = 0;
    while (worker.pauseReason !== undefined) {
      const pending = worker.snapshot().openTurn?.calls.map(({ callId }) => callId) ?? [];
      await worker.resume({ approve: pending });
    }
    await worker.run("go on");
    assertPaired(worker.items);
    const reread = await Session.open(this.sessions, fork.id);
    assert.deepEqual(reread.snapshot, worker.snapshot());
    this.sessions.states.length = 0;
  }

  /** Saves what the last step has changed. */
  async save(): Promise<void> {
    await this.#session?.save();
  }

  get #id(): string {
    return this.#session?.id ?? "";
  }

  async #goOn(answers: readonly Answer[], abortAfter: number): Promise<void> {
    this.#provider.answers.splice(
      0,
      Infinity,
      ...answers.map((made) => eventsOf(made, `t${++this.#turns}_`)),
    );
    const abort = new AbortController();
    let events = 0;
    const stopCounting = this.#worker.onEvent(() => {
      if (++events > abortAfter) abort.abort();
    });
    const pending = this.#worker.snapshot().openTurn?.calls.map(({ callId }) => callId) ?? [];
    const decisions = {
      approve: pending.filter((_, i) => i % 3 === 0),
      deny: Object.fromEntries(pending.filter((_, i) => i % 3 === 1).map((id) => [id, "no"])),
      answers: Object.fromEntries(pending.filter((_, i) => i % 3 === 2).map((id) => [id, large()])),
    };
    const options = { signal: abort.signal };
    const run =
      this.#worker.pauseReason === undefined
        ? this.#worker.run("go on", options)
        : this.#worker.resume(decisions, options);
    // A failed model call is one of the ways a run may end.
    await run.catch((error: unknown) => assert.ok(error instanceof RunError, String(error)));
    stopCounting();
  }

  #equip(worker: Worker<Phase>): Worker<Phase> {
    worker.hook("preToolCall", ({ name }) => (name === "pausing" ? { pause: "ask" } : undefined));
    worker.onCheckpoint(async ({ snapshot }) => {
      this.#checkpoints.add(canonical(snapshot));
    });
    return worker;
  }
}

/** One text for equal states, whatever the order of their fields. */
function canonical(snapshot: WorkerSnapshot): string {
  const { items, ...rest } = snapshot;
  const fields = Object.entries(rest).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([Object.fromEntries(fields), items]);
}

function isMessage(item: Item): boolean {
  return item.type === "message";
}

function compacted(items: readonly Item[], lockedItemCount: number): readonly Item[] {
  const firstMessage = items.findIndex(
    (item, i) => i > lockedItemCount + 2 && item.type === "message" && item.role === "user",
  );
  return firstMessage < 0
    ? items
    : [...items.slice(0, lockedItemCount), ...items.slice(firstMessage)];
}

function assertPaired(items: readonly Item[]): void {
  const open: string[] = [];
  for (const item of items) {
    if (item.type === "tool_call") open.push(item.callId);
    if (item.type !== "tool_result") continue;
    assert.ok(open.includes(item.callId), "a result without its call");
    open.splice(open.indexOf(item.callId), 1);
  }
  assert.deepEqual(open, []);
}
