import { setMaxListeners } from "node:events";
import { linkSignal } from "../blob/linked-signal.js";
import { startTimer } from "../blob/timer.js";
import { errorMessage, failureText, LlmWorkerError } from "../errors.js";
import type { ToolCallItem } from "../model/item.js";
import type { ToolDefinition } from "../model/request.js";
import { Semaphore } from "./semaphore.js";
import { assertToolName, type Tool, ToolDefinitionError } from "./tool.js";

/** How calls are run. */
export interface ToolServerOptions {
  /** Calls of one turn that run at the same time. Default 8. */
  readonly maxConcurrency?: number | undefined;
  /** Milliseconds for one call, streamed output and storing included. Default 120 000. */
  readonly timeoutMs?: number | undefined;
}

export const DEFAULT_MAX_CONCURRENCY = 8;
export const DEFAULT_TOOL_TIMEOUT_MS = 120_000;

/** Why a call has no result of its own. */
export type CallFailureCode =
  | "unknown_tool"
  | "invalid_arguments"
  | "timeout"
  | "failed"
  | "aborted";

/** What became of one call. */
export type CallOutcome =
  | { readonly ok: true; readonly tool: Tool; readonly value: unknown }
  | {
      readonly ok: false;
      readonly tool: Tool | undefined;
      readonly code: CallFailureCode;
      /** Words that the model can act on. */
      readonly text: string;
    };

/** A tool that takes longer than its time limit. */
export class ToolTimeoutError extends LlmWorkerError {
  readonly code = "tool_timeout";
  readonly timeoutMs: number;
  constructor(toolName: string, timeoutMs: number) {
    super(`tool ${toolName} took longer than its limit of ${timeoutMs} ms and was stopped`);
    this.timeoutMs = timeoutMs;
  }
}

/** Holds the registered tools, validates arguments and runs calls. */
export class ToolServer {
  readonly #tools = new Map<string, Tool>();
  readonly #slots: Semaphore;
  readonly #timeoutMs: number;

  constructor(options: ToolServerOptions = {}) {
    this.#slots = new Semaphore(options.maxConcurrency ?? DEFAULT_MAX_CONCURRENCY);
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TOOL_TIMEOUT_MS;
  }

  /** @throws ToolDefinitionError if the name is taken or no provider would take it */
  register(tool: Tool): void {
    assertToolName(tool.name);
    if (this.#tools.has(tool.name)) {
      throw new ToolDefinitionError(
        tool.name,
        "a tool of this name is registered already; rename one",
      );
    }
    this.#tools.set(tool.name, tool);
  }

  /** Returns whether there was such a tool. */
  unregister(name: string): boolean {
    return this.#tools.delete(name);
  }

  get(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  /** What the model is told, in order of registration. */
  get definitions(): readonly ToolDefinition[] {
    return [...this.#tools.values()].map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    }));
  }

  /**
   * The arguments of a call as the tool takes them, or why it cannot take them. Never rejects:
   * a validator that throws is a failed call, and one that hangs is stopped like the tool itself.
   */
  async prepare(call: ToolCallItem, options: ValidateOptions = {}): Promise<PreparedCall> {
    const tool = this.#tools.get(call.name);
    if (tool === undefined)
      return failure(undefined, "unknown_tool", this.#unknownToolText(call.name));
    let value: unknown;
    try {
      value = parseArguments(call.arguments);
    } catch (thrown) {
      const text = `the arguments are not valid JSON (${errorMessage(thrown)}): send one JSON object`;
      return failure(tool, "invalid_arguments", text);
    }
    return this.validate(tool, value, options);
  }

  /** Checks arguments that are already a value, such as those a hook has put in place. */
  async validate(tool: Tool, value: unknown, options: ValidateOptions = {}): Promise<PreparedCall> {
    const { signal, clear } = this.#limited(tool, options.signal);
    try {
      const validation = await settledOrAborted(Promise.resolve(tool.validate(value)), signal);
      if (validation.ok) return { ok: true, tool, input: validation.input };
      const text = `the arguments do not fit the tool's schema: ${validation.issues.join("; ")}`;
      return failure(tool, "invalid_arguments", text);
    } catch (thrown) {
      return thrownFailure(tool, thrown, signal);
    } finally {
      clear();
    }
  }

  /**
   * Runs one prepared call and hands its outcome to `finish`, within the concurrency limit, the
   * time limit and `signal`; `finish` consumes a streamed value. A tool that ignores its signal is
   * left behind: its late result or error goes nowhere.
   */
  async run<Result>(
    prepared: PreparedCall,
    call: ToolCallItem,
    options: RunCallOptions<Result>,
  ): Promise<Result> {
    if (!prepared.ok) return options.finish(prepared, options.signal);
    const { tool, input } = prepared;
    const release = await this.#slots.acquire(options.signal);
    if (release === undefined) {
      return options.finish(abortedBefore(tool), options.signal);
    }
    const { signal, clear } = this.#limited(tool, options.signal);
    try {
      options.onStart?.();
      const outcome = await this.#execute(tool, input, call, signal);
      return await options.finish(outcome, signal);
    } finally {
      clear();
      release();
    }
  }

  /** A signal that follows `parent` and is aborted when the tool's time is up. */
  #limited(
    tool: Tool,
    parent: AbortSignal | undefined,
  ): { readonly signal: AbortSignal; readonly clear: () => void } {
    const timeoutMs = tool.timeoutMs ?? this.#timeoutMs;
    const link = linkSignal(parent);
    // A tool may do many things at once that all listen to it.
    setMaxListeners(0, link.signal);
    const timer = startTimer(
      () => link.abort(new ToolTimeoutError(tool.name, timeoutMs)),
      timeoutMs,
    );
    return {
      signal: link.signal,
      clear() {
        clearTimeout(timer);
        link.unlink();
      },
    };
  }

  async #execute(
    tool: Tool,
    input: unknown,
    call: ToolCallItem,
    signal: AbortSignal,
  ): Promise<CallOutcome> {
    try {
      const work = Promise.resolve(tool.execute(input, { callId: call.callId, signal }));
      return { ok: true, tool, value: await settledOrAborted(work, signal) };
    } catch (thrown) {
      return thrownFailure(tool, thrown, signal);
    }
  }

  #unknownToolText(name: string): string {
    const names = [...this.#tools.keys()];
    const known = names.length === 0 ? "there are no tools" : `the tools are: ${names.join(", ")}`;
    return `there is no tool ${JSON.stringify(name)}; ${known}`;
  }
}

/** A call whose arguments were looked at. */
export type PreparedCall =
  | { readonly ok: true; readonly tool: Tool; readonly input: unknown }
  | Extract<CallOutcome, { ok: false }>;

/** What can be told of one validation. */
export interface ValidateOptions {
  /** Ends the wait for a validator that does not answer. */
  readonly signal?: AbortSignal | undefined;
}

/** What running one call needs. */
export interface RunCallOptions<Result> {
  readonly signal: AbortSignal;
  /** Makes the result; gets the signal that also carries the call's time limit. */
  finish(outcome: CallOutcome, signal: AbortSignal): Promise<Result>;
  /** The call has its place and begins now. */
  readonly onStart?: (() => void) | undefined;
}

/** The outcome of a call that was never begun because the run was stopped. */
export function abortedBefore(tool: Tool | undefined): Extract<CallOutcome, { ok: false }> {
  return failure(tool, "aborted", "the run was stopped before this call was begun; it did not run");
}

function failure(
  tool: Tool | undefined,
  code: CallFailureCode,
  text: string,
): Extract<CallOutcome, { ok: false }> {
  return { ok: false, tool, code, text };
}

function thrownFailure(
  tool: Tool,
  thrown: unknown,
  signal: AbortSignal,
): Extract<CallOutcome, { ok: false }> {
  if (!signal.aborted || thrown !== signal.reason) {
    return failure(tool, "failed", failureText(thrown));
  }
  return thrown instanceof ToolTimeoutError
    ? failure(tool, "timeout", thrown.message)
    : failure(tool, "aborted", "the call was stopped before it had a result");
}

/** No text at all means no arguments: models send that for tools without parameters. */
function parseArguments(text: string): unknown {
  return text.trim() === "" ? {} : (JSON.parse(text) as unknown);
}

function settledOrAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.finally(() => signal.removeEventListener("abort", onAbort)).then(resolve, reject);
  });
}
