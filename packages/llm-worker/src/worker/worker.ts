import { linkSignal } from "../blob/linked-signal.js";
import { type Hook, type HookPoint } from "../hook/hook.js";
import type { HookOptions } from "../hook/hook-registry.js";
import type { ErrorEvent, PingEvent, StatusEvent, UsageEvent } from "../model/event.js";
import type { Item } from "../model/item.js";
import type { GenerationOptions } from "../model/request.js";
import { blockCallback, type BlockMoment, eventCallback } from "../timeline/callbacks.js";
import type { Handler, Kind } from "../timeline/handler.js";
import * as kinds from "../timeline/kinds.js";
import type { Tool } from "../tool/tool.js";
import type { CheckpointMoment, SaveCheckpoint } from "./checkpoint.js";
import { createDeps } from "./create-deps.js";
import { EventQueue } from "./event-queue.js";
import { type CacheLocked, type Mutable, type Phase, PhaseError, RunStateError } from "./phase.js";
import { type Prompt, toMessage } from "./prompt.js";
import { Reporter } from "./reporter.js";
import type { RunContext, RunDeps } from "./run-context.js";
import type { RunEvent } from "./run-event.js";
import type { RunResult } from "./run-result.js";
import { runSignal } from "./run-signal.js";
import { executeRun } from "./run.js";
import { sharingSnapshot, stateOf, takeSnapshot, type WorkerSnapshot } from "./snapshot.js";
import { blobIdsOf, type WorkerState } from "./state.js";
import { takeDecisions } from "./verdicts.js";
import type { ResumeDecisions, RunOptions, WorkerDeps, WorkerOptions } from "./worker-options.js";

/** A run that is read as it happens. Leaving the loop early aborts the run. */
export interface RunStream extends AsyncIterable<RunEvent> {
  /**
   * How the run ended; rejects as `run` does. A long run gets there only while its events are read:
   * it waits for a reader that is far behind. To have nothing but the result, use `run`.
   */
  readonly result: Promise<RunResult>;
}

/**
 * Runs an LLM agent loop: prompt, model, tools, again, until the model is done. Keeps the history;
 * large tool outputs go to the blob store and the history holds their summaries.
 *
 * The type parameter is the phase: `lock()` freezes what has been sent, so that the provider's
 * prompt cache keeps hitting, and takes the editing methods away until `unlock()`.
 *
 * @example
 * const worker = new Worker({ provider: anthropic({ model }), tools: [readFile], store });
 * const { text } = await worker.run("What went wrong in big.log?");
 */
export class Worker<P extends Phase = Mutable> {
  /** Erased; only the type checker reads it. */
  declare protected readonly phaseType: P;
  #state: WorkerState;
  readonly #deps: RunDeps;
  readonly #reporter = new Reporter();
  readonly #savers = new Set<SaveCheckpoint>();
  #isRunning = false;

  /**
   * @throws ToolDefinitionError if two tools have one name, or that of a tool that the worker
   * registers is taken; OutputLimitsError if a limit cannot be kept
   */
  constructor(options: WorkerOptions) {
    const items = [...(options.items ?? [])];
    this.#state = {
      phase: "mutable",
      systemPrompt: options.systemPrompt?.toWellFormed(),
      generation: options.generation,
      items,
      lockedItemCount: 0,
      openTurn: undefined,
      pause: undefined,
      pauseRequest: undefined,
      hasUncheckedBlobs: false,
      knownBlobIds: new Set(blobIdsOf(items)),
    };
    this.#deps = createDeps(options, {
      isKnownId: (id) => this.#state.knownBlobIds.has(id),
      history: () => this.#state.items,
    });
  }

  /**
   * A worker that goes on where the snapshot was taken, in this or another process. A run that was
   * paused, or cut off between two tool results, is continued with `resume`: finished tools are not
   * run again. The next run tells the model which stored outputs have vanished meanwhile.
   *
   * Look at `phase` before you edit, lock or unlock it: `if (worker.phase === "mutable")`.
   *
   * @throws SnapshotError if the snapshot cannot be read
   */
  static restore(
    snapshot: WorkerSnapshot,
    deps: WorkerDeps,
  ): Worker<Mutable> | Worker<CacheLocked> {
    const worker = new Worker(deps);
    worker.#state = stateOf(snapshot);
    // Which of the two it is, `phase` tells.
    return worker;
  }

  /** As the type says, but for an alias from before a `lock()` or `unlock()`. */
  get phase(): P {
    // The methods that change the phase give out the worker as one of the new phase.
    return this.#state.phase as P;
  }

  /** The history, oldest first. A copy. */
  get items(): readonly Item[] {
    return [...this.#state.items];
  }

  /** Why the worker is paused, or `undefined` if it is not. */
  get pauseReason(): string | undefined {
    return this.#state.pause?.reason;
  }

  /**
   * Takes a prompt and runs turns until the model is done. Without a prompt it goes on with the
   * history as it is, for instance after a failed call.
   *
   * @throws RunError if a model call failed for good; HookError if a hook failed; RunStateError if a
   * run is on or the worker is paused. The history can be continued after each of them.
   */
  run(prompt?: Prompt, options: RunOptions = {}): Promise<RunResult> {
    return this.#begin("run", prompt, options, undefined);
  }

  /** The events of a run as they happen; {@link RunStream.result} is how it ended. */
  stream(prompt?: Prompt, options: RunOptions = {}): RunStream {
    return this.#streamOf(
      (queue, signal) => this.#begin("run", prompt, { signal }, queue),
      options,
    );
  }

  /**
   * Goes on with a paused run. Pending calls without a decision meet the hooks again, and so do
   * approved ones, which no hook can pause any more.
   *
   * @throws RunStateError if the worker is not paused
   */
  async resume(decisions: ResumeDecisions = {}, options: RunOptions = {}): Promise<RunResult> {
    this.#takeDecisions(decisions);
    return this.#begin("resume", undefined, options, undefined);
  }

  /** The events of a resumed run as they happen. */
  resumeStream(decisions: ResumeDecisions = {}, options: RunOptions = {}): RunStream {
    return this.#streamOf(async (queue, signal) => {
      this.#takeDecisions(decisions);
      return this.#begin("resume", undefined, { signal }, queue);
    }, options);
  }

  /** Asks the current run to pause at the next safe place. Returns whether there is a run. */
  pause(reason: string = "paused from outside"): boolean {
    if (this.#isRunning) this.#state.pauseRequest = reason;
    return this.#isRunning;
  }

  /** Everything the worker remembers, as plain JSON. May be taken at any moment, during a run too. */
  snapshot(): WorkerSnapshot {
    return takeSnapshot(this.#state);
  }

  /**
   * Has `save` called, and waits for it, wherever losing what the worker remembers would cost: before
   * a request goes out, before tools run, after each result, and before a run resolves. If it rejects,
   * the run fails with its error. Returns the removal.
   */
  onCheckpoint(save: SaveCheckpoint): () => void {
    this.#savers.add(save);
    return () => this.#savers.delete(save);
  }

  /**
   * Has everything saved now, for changes outside of a run: `lock()`, `setItems()` and the like.
   *
   * @throws what a saver rejects with
   */
  async checkpoint(): Promise<void> {
    await this.#checkpoint({ at: "explicit" });
  }

  /** Freezes system prompt, tools and the history so far. */
  lock(this: Worker<Mutable>): Worker<CacheLocked> {
    this.#expect("mutable", "lock");
    this.#state.phase = "cache_locked";
    this.#state.lockedItemCount = this.#state.items.length;
    return this as Worker<Phase> as Worker<CacheLocked>;
  }

  /** Allows editing again; what is edited will be billed in full once more. */
  unlock(this: Worker<CacheLocked>): Worker<Mutable> {
    this.#expect("cache_locked", "unlock");
    this.#state.phase = "mutable";
    this.#state.lockedItemCount = 0;
    return this as Worker<Phase> as Worker<Mutable>;
  }

  /** `undefined`: none. @throws PhaseError if the worker is locked; RunStateError if a run is on */
  setSystemPrompt(this: Worker<Mutable>, text: string | undefined): void {
    this.#expect("mutable", "setSystemPrompt");
    this.#state.systemPrompt = text?.toWellFormed();
  }

  /** As {@link setSystemPrompt}, of what requests ask of the model. */
  setGeneration(this: Worker<Mutable>, generation: GenerationOptions | undefined): void {
    this.#expect("mutable", "setGeneration");
    this.#state.generation = generation;
  }

  /** As {@link setSystemPrompt}, of the history. A pause, and calls that wait, are given up. */
  setItems(this: Worker<Mutable>, items: readonly Item[]): void {
    this.#expect("mutable", "setItems");
    this.#state.items = [...items];
    this.#state.openTurn = undefined;
    this.#state.pause = undefined;
    for (const id of blobIdsOf(items)) this.#state.knownBlobIds.add(id);
  }

  /** Registers another tool. @throws ToolDefinitionError if the name is taken; as {@link setSystemPrompt} */
  addTool(this: Worker<Mutable>, tool: Tool): void {
    this.#expect("mutable", "addTool");
    this.#deps.tools.register(tool);
  }

  /** Returns whether there was such a tool. */
  removeTool(this: Worker<Mutable>, name: string): boolean {
    this.#expect("mutable", "removeTool");
    return this.#deps.tools.unregister(name);
  }

  /**
   * Adds a hook at one of the ten points, behind those already there. Returns its removal.
   *
   * @throws HookError if there is no such point
   */
  hook<Point extends HookPoint>(
    point: Point,
    hook: Hook<Point>,
    options?: HookOptions,
  ): () => void {
    return this.#deps.hooks.add(point, hook, options);
  }

  /** Adds a handler of one kind of event. Returns its removal. */
  on<In, Scope>(kind: Kind<In>, handler: Handler<In, Scope>): () => void {
    return this.#reporter.timeline.on(kind, handler);
  }

  /** Watches everything that runs report. A watcher that throws never breaks a run. */
  onEvent(watch: (event: RunEvent) => void): () => void {
    return this.#reporter.onEvent(watch);
  }

  /** Watches the blocks of text as they come. Returns the removal, as all of these. */
  onTextBlock(watch: (moment: BlockMoment) => void): () => void {
    return this.on(kinds.textBlock, blockCallback(this.#reporter.heard(watch)));
  }

  /** Watches what the model shows of its thinking. */
  onThinkingBlock(watch: (moment: BlockMoment) => void): () => void {
    return this.on(kinds.thinkingBlock, blockCallback(this.#reporter.heard(watch)));
  }

  /** Watches tool calls as the model writes them: `text` is the raw JSON of the arguments. */
  onToolUseBlock(
    watch: (moment: BlockMoment, call: { readonly callId: string; readonly name: string }) => void,
  ): () => void {
    const heard = this.#reporter.heard(watch);
    return this.on(
      kinds.toolUseBlock,
      blockCallback((moment, start) => {
        if (start.type === "block_start") heard(moment, { callId: start.callId, name: start.name });
      }),
    );
  }

  /** Watches tokens. A report has the totals of its response so far: a later one replaces an earlier one. */
  onUsage(watch: (event: UsageEvent) => void): () => void {
    return this.on(kinds.usage, eventCallback(this.#reporter.heard(watch)));
  }

  /** Watches responses begin, end, and be tried again. */
  onStatus(watch: (event: StatusEvent) => void): () => void {
    return this.on(kinds.status, eventCallback(this.#reporter.heard(watch)));
  }

  /** Watches responses that fail for good: the run then rejects with a `RunError`. */
  onError(watch: (event: ErrorEvent) => void): () => void {
    return this.on(kinds.error, eventCallback(this.#reporter.heard(watch)));
  }

  /** Watches signs of life of the server. */
  onPing(watch: (event: PingEvent) => void): () => void {
    return this.on(kinds.ping, eventCallback(this.#reporter.heard(watch)));
  }

  async #begin(
    verb: "run" | "resume",
    prompt: Prompt | undefined,
    options: RunOptions,
    queue: EventQueue<RunEvent> | undefined,
  ): Promise<RunResult> {
    this.#assertCanBegin(verb);
    this.#isRunning = true;
    this.#state.pauseRequest = undefined;
    const { signal, wallTime, clear } = runSignal(options.signal, this.#deps.limits.maxWallTimeMs);
    const toStream = queue && ((event: RunEvent) => queue.push(event));
    const run: RunContext = {
      state: this.#state,
      deps: this.#deps,
      signal,
      emit: (event) => this.#reporter.emit(event, toStream),
      checkpoint: (moment) => this.#checkpoint(moment),
      drained: () => queue?.drained(signal),
      added: [],
      usage: {},
      turn: 0,
      answers: 0,
    };
    try {
      return await executeRun(run, toMessage(prompt), wallTime);
    } finally {
      clear();
      this.#isRunning = false;
    }
  }

  #streamOf(
    begin: (queue: EventQueue<RunEvent>, signal: AbortSignal) => Promise<RunResult>,
    options: RunOptions,
  ): RunStream {
    const link = linkSignal(options.signal);
    const queue = new EventQueue<RunEvent>(() => link.abort(new Error("the stream was left")));
    const result = begin(queue, link.signal).finally(() => link.unlink());
    result.then(
      () => queue.end(),
      (error: unknown) => queue.end({ error }),
    );
    return { result, [Symbol.asyncIterator]: () => queue[Symbol.asyncIterator]() };
  }

  #checkpoint(moment: CheckpointMoment): Promise<void> | undefined {
    if (this.#savers.size === 0) return undefined;
    const checkpoint = { moment, snapshot: sharingSnapshot(this.#state) };
    // A saver that throws rejects like any other.
    const saved = [...this.#savers].map(async (save) => save(checkpoint));
    return Promise.all(saved).then(() => undefined);
  }

  #assertCanBegin(verb: "run" | "resume"): void {
    if (this.#isRunning) {
      throw new RunStateError(
        "run_in_progress",
        "a run is on: wait for it, or abort it by its signal",
      );
    }
    if (verb === "run" && this.#state.pause !== undefined) {
      throw new RunStateError(
        "paused",
        `the worker is paused (${this.#state.pause.reason}): go on with resume()`,
      );
    }
    if (verb === "resume" && this.#state.pause === undefined) {
      throw new RunStateError("not_paused", "the worker is not paused: use run()");
    }
  }

  #takeDecisions(decisions: ResumeDecisions): void {
    this.#assertCanBegin("resume");
    if (this.#state.openTurn !== undefined) takeDecisions(this.#state.openTurn, decisions);
  }

  #expect(phase: Phase, verb: string): void {
    if (this.#state.phase !== phase) throw new PhaseError(verb, phase, this.#state.phase);
    if (this.#isRunning) {
      throw new RunStateError("run_in_progress", `${verb}() has to wait until the run has ended`);
    }
  }
}
