import type { BlockStartEvent, Event } from "../model/event.js";
import { isPromiseLike } from "../promise-like.js";
import type { Handler, Kind } from "./handler.js";

/** What a {@link Timeline} may be given. */
export interface TimelineOptions {
  /**
   * Told of a handler that threw, the other handlers have been served all the same; and of an async
   * one that has rejected, it is not waited for. Default: `dispatch` throws the first error once it is
   * done, a rejection is an unhandled one of the process.
   */
  readonly onHandlerError?: ((error: unknown, kindName: string) => void) | undefined;
}

/**
 * Dispatches events to handlers by kind, synchronously and in order of registration. Usable on its
 * own, without a worker. Constant work for a delta, so linear in the number of deltas.
 *
 * Each block that a handler saw opened is stopped or aborted for it exactly once: a second
 * `block_start` of an open index aborts the first, events of blocks that are not open are ignored,
 * and {@link Timeline.abortOpen} ends what a broken stream left open.
 */
export class Timeline {
  readonly #handlers = new Map<string, Registration[]>();
  readonly #openBlocks = new Map<number, OpenBlock>();
  readonly #onHandlerError: TimelineOptions["onHandlerError"];
  #failure: { readonly error: unknown } | undefined;

  constructor(options: TimelineOptions = {}) {
    this.#onHandlerError = options.onHandlerError;
  }

  /**
   * Adds a handler. Returns its removal; a block that is open at removal gets no further events.
   * A handler that is added while a block is open first sees the next block.
   */
  on<In, Scope>(kind: Kind<In>, handler: Handler<In, Scope>): () => void {
    // The kind's name decides which events arrive here, so the handler gets what its type says.
    const registration: Registration = {
      handler: handler as Handler<unknown, unknown>,
      active: true,
    };
    const registrations = this.#handlers.get(kind.name);
    this.#handlers.set(kind.name, [...(registrations ?? []), registration]);
    return () => {
      registration.active = false;
      const kept = this.#handlers.get(kind.name)?.filter((other) => other !== registration) ?? [];
      this.#handlers.set(kind.name, kept);
    };
  }

  dispatch(event: Event): void {
    this.#dispatch(event);
    this.#rethrow();
  }

  /** Ends each open block with `block_abort`. Call it on every exit path of a stream. */
  abortOpen(reason: string): void {
    for (const index of this.openBlocks) {
      this.#dispatch({ type: "block_abort", index, reason });
    }
    this.#rethrow();
  }

  /** Indexes of the blocks that have been started and not ended, in order. A copy. */
  get openBlocks(): readonly number[] {
    return [...this.#openBlocks.keys()];
  }

  /** Number of blocks that have been started and not ended. */
  get openBlockCount(): number {
    return this.#openBlocks.size;
  }

  #dispatch(event: Event): void {
    switch (event.type) {
      case "block_start":
        this.#start(event);
        break;
      case "block_delta":
      case "block_stop":
      case "block_abort": {
        const block = this.#openBlocks.get(event.index);
        if (block === undefined) return;
        if (event.type !== "block_delta") this.#openBlocks.delete(event.index);
        for (let i = 0; i < block.registrations.length; i += 1) {
          this.#call(block.registrations[i] as Registration, block.kind, block.scopes[i], event);
        }
        break;
      }
      default:
        for (const registration of this.#handlers.get(event.type) ?? NO_REGISTRATIONS) {
          const opened = this.#open(registration, event.type, event);
          if (opened !== undefined) this.#call(registration, event.type, opened.scope, event);
        }
    }
  }

  #start(event: BlockStartEvent): void {
    if (this.#openBlocks.has(event.index)) {
      this.#dispatch({
        type: "block_abort",
        index: event.index,
        reason: "its index was started again",
      });
    }
    const registrations: Registration[] = [];
    const scopes: unknown[] = [];
    for (const registration of this.#handlers.get(event.kind) ?? NO_REGISTRATIONS) {
      const opened = this.#open(registration, event.kind, event);
      if (opened === undefined) continue;
      registrations.push(registration);
      scopes.push(opened.scope);
    }
    this.#openBlocks.set(event.index, { kind: event.kind, registrations, scopes });
  }

  #open(
    registration: Registration,
    kindName: string,
    event: Event,
  ): { readonly scope: unknown } | undefined {
    try {
      const scope = registration.handler.open(event);
      this.#watch(scope, kindName);
      return { scope };
    } catch (thrown) {
      this.#report(thrown, kindName);
      return undefined;
    }
  }

  #call(registration: Registration, kindName: string, scope: unknown, event: Event): void {
    if (!registration.active) return;
    try {
      this.#watch(registration.handler.on(scope, event), kindName);
    } catch (thrown) {
      this.#report(thrown, kindName);
    }
  }

  #watch(made: unknown, kindName: string): void {
    const report = this.#onHandlerError;
    if (report !== undefined && isPromiseLike(made)) {
      made.then(undefined, (error: unknown) => report(error, kindName));
    }
  }

  #report(thrown: unknown, kindName: string): void {
    if (this.#onHandlerError === undefined) this.#failure ??= { error: thrown };
    else this.#onHandlerError(thrown, kindName);
  }

  #rethrow(): void {
    if (this.#failure === undefined) return;
    const { error } = this.#failure;
    this.#failure = undefined;
    throw error;
  }
}

interface Registration {
  readonly handler: Handler<unknown, unknown>;
  active: boolean;
}

interface OpenBlock {
  readonly kind: string;
  /** Those that opened a scope, and their scopes, by position. */
  readonly registrations: readonly Registration[];
  readonly scopes: readonly unknown[];
}

const NO_REGISTRATIONS: readonly Registration[] = [];
