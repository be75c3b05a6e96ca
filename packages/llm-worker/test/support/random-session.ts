import assert from "node:assert/strict";
import fc from "fast-check";
import * as z from "zod";
import type { BlobStoreLike } from "../../src/blob/blob-store.js";
import type { Event } from "../../src/model/event.js";
import { type Item, type ToolResultItem, toolResultText } from "../../src/model/item.js";
import type { LlmRequest } from "../../src/model/request.js";
import { defineTool, type Tool } from "../../src/tool/tool.js";
import type { Phase } from "../../src/worker/phase.js";
import { prune } from "../../src/worker/prune.js";
import type { WorkerSnapshot } from "../../src/worker/snapshot.js";
import { Worker } from "../../src/worker/worker.js";
import { RunError } from "../../src/worker/run-result.js";
import type { WorkerOptions } from "../../src/worker/worker-options.js";
import type { BlockMoment } from "../../src/timeline/callbacks.js";
import type { Provider } from "../../src/client/provider.js";
import { FaultyStreamStore } from "./faulty-store.js";
import { calls, finished } from "./scripted-provider.js";

/** What one step of a random program does. */
export type Step =
  | {
      readonly do: "run" | "resume";
      readonly answers: readonly Answer[];
      readonly abortAfter: number;
    }
  | { readonly do: "lock" | "unlock" | "restore" | "prune" };

/** What the model does with one request. */
type Answer =
  | { readonly type: "text" | "thinking" | "error" | "cut" | "refusal" }
  | { readonly type: "calls"; readonly tools: readonly (keyof typeof behaviours)[] };

const LARGE_LINES = 60;
let serial = 0;
const large = (): string => `output ${++serial}\n`.repeat(LARGE_LINES);

/** What a tool does, by its name. `pausing` is held back by a hook. */
const behaviours = {
  small: () => `small ${++serial}`,
  large,
  pausing: large,
  json: () => Array.from({ length: 100 }, (_, id) => ({ id, serial: ++serial })),
  failing: () => {
    throw new Error(`failed ${large()}`);
  },
  async *streaming() {
    for (let piece = 0; piece < 5; piece += 1) yield large();
  },
  async *breaking() {
    yield large();
    throw new Error("broke off");
  },
  hanging: () => new Promise(() => {}),
} as const;

const tools: readonly Tool[] = Object.entries(behaviours).map(([name, execute]) =>
  defineTool({
    name,
    description: `Tool ${name}.`,
    input: z.object({}),
    execute,
    ...(name === "hanging" ? { timeoutMs: 5 } : {}),
  }),
);

const answer: fc.Arbitrary<Answer> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom({ type: "text" as const }, { type: "thinking" as const }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      { type: "error" as const },
      { type: "cut" as const },
      { type: "refusal" as const },
    ),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("calls" as const),
      tools: fc.array(
        fc.constantFrom(...(Object.keys(behaviours) as (keyof typeof behaviours)[])),
        {
          minLength: 1,
          maxLength: 4,
        },
      ),
    }),
  },
);

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom("run" as const, "resume" as const),
      answers: fc.array(answer, { maxLength: 4 }),
      abortAfter: fc.oneof(fc.constant(Infinity), fc.nat(25)),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom("lock" as const, "unlock" as const, "restore" as const, "prune" as const),
    }),
  },
);

function eventsOf(made: Answer, callPrefix: string): readonly Event[] {
  const text: Event[] = [
    { type: "block_start", index: 0, kind: "text" },
    { type: "block_delta", index: 0, text: "some words" },
    { type: "block_stop", index: 0 },
  ];
  switch (made.type) {
    case "text":
      return [...text, ...finished("end")];
    case "thinking":
      return [
        { type: "block_start", index: 7, kind: "thinking" },
        { type: "block_delta", index: 7, text: "hm" },
        { type: "block_stop", index: 7 },
        ...text,
        ...finished("end"),
      ];
    case "error":
      return [
        ...text.slice(0, 2),
        { type: "block_abort", index: 0, reason: "busy" },
        { type: "error", error: { code: "overloaded", message: "busy", retryable: true } },
      ];
    case "cut":
      return text.slice(0, 2);
    case "refusal":
      return [
        ...calls({ name: "large", callId: `${callPrefix}r` }).slice(0, 3),
        ...finished("refusal"),
      ];
    case "calls":
      return calls(...made.tools.map((name, i) => ({ name, callId: `${callPrefix}${i}` })));
  }
}

/** A session that a program is run on, and what has to stay true of it. */
export class Session {
  readonly store = new FaultyStreamStore();
  readonly requests: LlmRequest[] = [];
  worker: Worker<Phase>;
  /** What each blob held when it was stored. */
  readonly #stored = new Map<string, string>();
  #lockedBytes: string | undefined;
  #openBlocks = new Map<number, number>();
  #turns = 0;
  #script: Answer[] = [];

  constructor() {
    this.worker = this.#equip(new Worker(this.#deps()));
  }

  async take(taken: Step): Promise<void> {
    switch (taken.do) {
      case "lock":
        if (this.worker.phase === "cache_locked" || this.worker.pauseReason !== undefined) return;
        (this.worker as Worker).lock();
        this.#lockedBytes = JSON.stringify(this.worker.items);
        return;
      case "unlock":
        if (this.worker.phase === "mutable") return;
        (this.worker as Worker<"cache_locked">).unlock();
        this.#lockedBytes = undefined;
        return;
      case "restore": {
        const snapshot = JSON.parse(JSON.stringify(this.worker.snapshot())) as WorkerSnapshot;
        const before = JSON.stringify(this.worker.items);
        this.worker = this.#equip(Worker.restore(snapshot, this.#deps()));
        assert.equal(JSON.stringify(this.worker.items), before);
        return;
      }
      case "prune":
        this.worker.hook(
          "preLlmRequest",
          prune({ store: this.store, protectedTurns: 1, minSavingsTokens: 50 }),
        );
        return;
      case "run":
      case "resume":
        await this.#run(taken.answers, taken.abortAfter);
    }
  }

  async #run(answers: readonly Answer[], abortAfter: number): Promise<void> {
    this.#script = [...answers];
    const abort = new AbortController();
    let events = 0;
    const stopCounting = this.worker.onEvent(() => {
      if (++events > abortAfter) abort.abort();
    });
    const isPaused = this.worker.pauseReason !== undefined;
    const pending = this.worker.snapshot().openTurn?.calls.map(({ callId }) => callId) ?? [];
    const decisions = {
      approve: pending.filter((_, i) => i % 3 === 0),
      deny: Object.fromEntries(pending.filter((_, i) => i % 3 === 1).map((id) => [id, "no"])),
      answers: Object.fromEntries(pending.filter((_, i) => i % 3 === 2).map((id) => [id, large()])),
    };
    const options = { signal: abort.signal };
    const run = isPaused
      ? this.worker.resume(decisions, options)
      : this.worker.run("go on", options);
    // A failed model call is one of the ways a run may end.
    await run.catch((error: unknown) => assert.ok(error instanceof RunError, String(error)));
    stopCounting();
  }

  async check(): Promise<void> {
    const { items } = this.worker;
    const isPaused = this.worker.pauseReason !== undefined;
    checkPairs(items, isPaused);
    assert.ok(
      [...this.#openBlocks.values()].every((open) => open === 0),
      "blocks were left open",
    );
    if (this.#lockedBytes !== undefined) {
      assert.ok(JSON.stringify(items).startsWith(this.#lockedBytes.slice(0, -1)), "the lock broke");
    }
    for (const [id, text] of this.#stored) assert.equal(await textOf(this.store, id), text);
    for (const request of this.requests) checkPairs(request.items, false);
    for (const item of items) assert.deepEqual(JSON.parse(JSON.stringify(item)), item);
  }

  #deps(): WorkerOptions {
    const provider: Provider = {
      name: "random",
      model: "random-1",
      stream: (request, options) => this.#answer(request, options?.signal),
    };
    return { provider, tools, store: this.store };
  }

  async *#answer(request: LlmRequest, signal?: AbortSignal): AsyncGenerator<readonly Event[]> {
    this.requests.push({ ...request, items: [...request.items] });
    const made = this.#script.shift() ?? { type: "text" };
    for (const event of eventsOf(made, `t${++this.#turns}_`)) {
      if (signal?.aborted === true) return;
      yield [event];
    }
  }

  #equip(worker: Worker<Phase>): Worker<Phase> {
    worker.hook("preToolCall", ({ name }) => (name === "pausing" ? { pause: "ask" } : undefined));
    worker.onEvent((event) => {
      const open = this.#openBlocks;
      if (event.type === "output_stored") {
        const { blobId } = event;
        void textOf(this.store, blobId).then((text) => this.#stored.set(blobId, text));
      }
      if (event.type === "turn_start") open.clear();
      if (event.type === "block_start") open.set(event.index, (open.get(event.index) ?? 0) + 1);
    });
    const onBlock = ({ type, index }: BlockMoment): void => {
      if (type !== "stop" && type !== "abort") return;
      this.#openBlocks.set(index, (this.#openBlocks.get(index) ?? 0) - 1);
    };
    worker.onTextBlock(onBlock);
    worker.onThinkingBlock(onBlock);
    worker.onToolUseBlock(onBlock);
    return worker;
  }
}

async function textOf(store: BlobStoreLike, id: string): Promise<string> {
  const content = await store.load(id);
  switch (content.type) {
    case "text":
      return content.text;
    case "structured":
      return content.raw;
    case "binary":
      return Buffer.from(content.bytes).toString("base64");
  }
}

/** Each call has exactly one result, before anything that is not a result follows. */
function checkPairs(items: readonly Item[], mayEndOpen: boolean): void {
  let open: string[] = [];
  for (const item of items) {
    if (item.type === "tool_result") {
      assert.ok(open.includes(item.callId), "a result without its call");
      open = open.filter((callId) => callId !== item.callId);
      checkResult(item);
      continue;
    }
    if (item.type === "message" && item.role === "user") assert.deepEqual(open, []);
    if (item.type === "tool_call") open.push(item.callId);
  }
  if (!mayEndOpen) assert.deepEqual(open, []);
}

function checkResult(item: ToolResultItem): void {
  const text = toolResultText(item);
  assert.ok(text.isWellFormed());
  assert.ok(Buffer.byteLength(text) <= 16_384);
  if (item.blob !== undefined) assert.ok(item.summary.includes(`[blob:${item.blob.id}]`));
}
