import { setMaxListeners } from "node:events";
import { linkSignal } from "../blob/linked-signal.js";
import { startTimer } from "../blob/timer.js";
import { LlmWorkerError, errorMessage } from "../errors.js";
import { isPromiseLike } from "../promise-like.js";
import { DECISIONS, type Hook, type HookPoint, type HookPoints } from "./hook.js";

/** What can be told of one hook. */
export interface HookOptions {
  /** Shown in errors. Default: the function's own name, or its place. */
  readonly name?: string | undefined;
  /** Milliseconds that one call of the hook may take. Default: the registry's. */
  readonly timeoutMs?: number | undefined;
}

/** A hook threw, took too long, or returned what its point cannot carry out. Names the hook and the point. */
export class HookError extends LlmWorkerError {
  readonly code = "hook_failed";
  readonly point: HookPoint;
  readonly hookName: string;
  constructor(point: HookPoint, hookName: string, cause: unknown) {
    super(`hook ${hookName} at ${point} failed: ${errorMessage(cause)}`, { cause });
    this.point = point;
    this.hookName = hookName;
  }
}

/** Default time limit of a hook: long enough for a person to answer, short enough to be noticed. */
export const DEFAULT_HOOK_TIMEOUT_MS = 600_000;

/** Keeps the hooks of the ten points in order of registration. */
export class HookRegistry {
  readonly #hooks: { [P in HookPoint]?: readonly Registered<P>[] } = {};
  readonly #timeoutMs: number;

  constructor(options: { readonly timeoutMs?: number | undefined } = {}) {
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_HOOK_TIMEOUT_MS;
  }

  /**
   * Adds a hook behind those already there. Returns its removal.
   * @throws HookError if there is no such point: the types hold that for others than JavaScript
   */
  add<P extends HookPoint>(point: P, hook: Hook<P>, options: HookOptions = {}): () => void {
    const before: readonly Registered<P>[] = this.#at(point);
    const name = options.name ?? (hook.name || `#${before.length + 1}`);
    if (!Object.hasOwn(DECISIONS, point)) {
      const points = Object.keys(DECISIONS).join(", ");
      throw new HookError(point, name, new TypeError(`there is no such point, use ${points}`));
    }
    const registered: Registered<P> = {
      hook,
      name,
      timeoutMs: options.timeoutMs ?? this.#timeoutMs,
    };
    this.#set(point, [...before, registered]);
    return () => {
      this.#set(
        point,
        this.#at(point).filter((other) => other !== registered),
      );
    };
  }

  has(point: HookPoint): boolean {
    return this.#at(point).length > 0;
  }

  /**
   * Runs the hooks of a point in order. `rewrite` takes a decision and says what the next hook is
   * told: new facts if the decision rewrites them, or `undefined` if the decision ends the point.
   *
   * @returns the facts after all rewrites, and the decision that ended the point, if one did
   * @throws HookError if a hook throws, takes too long or decides what it cannot; the abort reason if `signal` is aborted
   */
  async run<P extends HookPoint>(
    point: P,
    facts: HookPoints[P]["in"],
    signal: AbortSignal,
    rewrite: (
      facts: HookPoints[P]["in"],
      decision: HookPoints[P]["out"],
    ) => HookPoints[P]["in"] | undefined = () => undefined,
  ): Promise<{ readonly facts: HookPoints[P]["in"]; readonly ended?: HookPoints[P]["out"] }> {
    let current = facts;
    for (const registered of this.#at(point)) {
      signal.throwIfAborted();
      const decision = await callWithLimit(point, registered, current, signal);
      if (decision === undefined || decision === null || DECISIONS[point].length === 0) continue;
      assertDecision(point, registered.name, decision);
      // `void` is `undefined` at run time, which was excluded above.
      const made = decision as HookPoints[P]["out"];
      const rewritten = rewrite(current, made);
      if (rewritten === undefined) return { facts: current, ended: made };
      current = rewritten;
    }
    return { facts: current };
  }

  #at<P extends HookPoint>(point: P): readonly Registered<P>[] {
    // Each point holds hooks of its own type; a mapped type cannot be indexed by a generic key.
    return (this.#hooks[point] ?? []) as unknown as readonly Registered<P>[];
  }

  #set<P extends HookPoint>(point: P, hooks: readonly Registered<P>[]): void {
    (this.#hooks as Record<HookPoint, unknown>)[point] = hooks;
  }
}

/** A denial that is written otherwise, or beside another decision, must not let the call run. */
function assertDecision(point: HookPoint, hookName: string, decision: unknown): void {
  const names: readonly string[] = DECISIONS[point];
  const made = names.filter((name) => typeof decision === "object" && name in (decision as object));
  if (made.length === 1) return;
  const found = made.length === 0 ? "no decision of this point" : `${made.join(" and ")} at once`;
  const problem = `it returned ${found}: return nothing, or an object with ${names.join(" or ")}`;
  throw new HookError(point, hookName, new TypeError(problem));
}

interface Registered<P extends HookPoint> {
  readonly hook: Hook<P>;
  readonly name: string;
  readonly timeoutMs: number;
}

type Made<P extends HookPoint> = ReturnType<Hook<P>>;

/** A hook that answers at once costs no clock and no promise: most of them do. */
function callWithLimit<P extends HookPoint>(
  point: P,
  { hook, name, timeoutMs }: Registered<P>,
  facts: HookPoints[P]["in"],
  signal: AbortSignal,
): Made<P> | Promise<Made<P>> {
  const link = linkSignal(signal);
  // A hook may do many things at once that all listen to it, as a prune stores a batch.
  setMaxListeners(0, link.signal);
  let made: Made<P>;
  try {
    made = hook(facts, link.signal) as Made<P>;
  } catch (thrown) {
    link.unlink();
    throw signal.aborted ? signal.reason : new HookError(point, name, thrown);
  }
  if (!isPromiseLike(made)) {
    link.unlink();
    signal.throwIfAborted();
    return made;
  }
  const decision = made as PromiseLike<Made<P>>;
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      link.unlink();
      signal.removeEventListener("abort", onAbort);
      settle();
    };
    const onAbort = (): void => finish(() => reject(signal.reason));
    const timer = startTimer(() => {
      const tooLong = new Error(`it took longer than its limit of ${timeoutMs} ms`);
      link.abort(tooLong);
      finish(() => reject(new HookError(point, name, tooLong)));
    }, timeoutMs);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    decision.then(
      (value) => finish(() => resolve(value)),
      (thrown: unknown) => finish(() => reject(new HookError(point, name, thrown))),
    );
  });
}
