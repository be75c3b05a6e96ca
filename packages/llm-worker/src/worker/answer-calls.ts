import type { Item, ToolCallItem, ToolResultItem } from "../model/item.js";
import type { PolicyContext } from "../output/policy.js";
import { isToolOutput } from "../output/tool-output.js";
import type { Pause, Stop } from "../hook/hook.js";
import { abortedBefore, type CallOutcome, type PreparedCall } from "../tool/tool-server.js";
import type { ReadBackAnswer, Tool } from "../tool/tool.js";
import { resolveReferences } from "./resolve-references.js";
import { addItems, type RunContext } from "./run-context.js";
import type { OpenTurn } from "./state.js";
import { type NewResult, shareTurnBudget } from "./turn-budget.js";

/** What the open turn's calls led to. `pending` are the calls that wait for a decision. */
export interface CallsVerdict {
  readonly pause?:
    | { readonly reason: string; readonly pending: readonly ToolCallItem[] }
    | undefined;
  readonly stop?: string | undefined;
}

/**
 * Answers the calls of the open turn that have no result yet: asks the hooks in the order of the
 * calls, runs what may run, and, once each call has its result, closes the turn.
 */
export async function answerCalls(run: RunContext, turn: OpenTurn): Promise<CallsVerdict> {
  const decided: Decided[] = [];
  const pending: ToolCallItem[] = [];
  let pauseReason: string | undefined;
  for (const [position, call] of turn.calls.entries()) {
    if (turn.results[position] !== undefined) continue;
    const decision = await decide(run, turn, position, call);
    if ("stop" in decision) return { stop: decision.stop };
    if ("pause" in decision) {
      pauseReason ??= decision.pause;
      pending.push(call);
    } else {
      decided.push({ ...decision, position, call });
    }
  }
  await run.checkpoint({ at: "tool_calls", turn: run.turn });
  const stop = await runDecided(run, turn, decided);
  if (pauseReason !== undefined && stop === undefined) {
    return { pause: { reason: pauseReason, pending } };
  }
  closeTurn(run, turn, abortedBefore(undefined).text);
  return { stop };
}

/**
 * Ends the open turn: the results enter the history in the order of the calls, and a call that has
 * none gets one that says so.
 */
export function closeTurn(run: RunContext, turn: OpenTurn, missingText: string): void {
  run.state.openTurn = undefined;
  addItems(run, closingItems(turn, missingText));
}

/** What enters the history when a turn is closed. */
export function closingItems(turn: OpenTurn, missingText: string): readonly Item[] {
  return [
    ...turn.calls.map((call, position) => turn.results[position] ?? errorResult(call, missingText)),
    ...turn.followUp,
  ];
}

interface Decision {
  /** Runs unless there is an outcome already. */
  readonly prepared: PreparedCall;
  readonly outcome?: CallOutcome | undefined;
}

interface Decided extends Decision {
  readonly position: number;
  readonly call: ToolCallItem;
}

async function decide(
  run: RunContext,
  turn: OpenTurn,
  position: number,
  call: ToolCallItem,
): Promise<Decision | Pause | Stop> {
  const { tools, hooks } = run.deps;
  const cut = cutOffText(turn, position, call);
  if (cut !== undefined) {
    return {
      prepared: { ok: false, tool: tools.get(call.name), code: "invalid_arguments", text: cut },
    };
  }
  const prepared = await tools.prepare(call, { signal: run.signal });
  const verdict = turn.verdicts[position];
  if (verdict?.type === "denied") return deniedDecision(prepared, verdict.reason);
  if (verdict?.type === "answered") return answeredDecision(prepared, verdict.output);
  if (!prepared.ok || !hooks.has("preToolCall")) return { prepared };

  const facts = { turn: run.turn, callId: call.callId, name: call.name, input: prepared.input };
  const { facts: after, ended } = await hooks.run(
    "preToolCall",
    facts,
    run.signal,
    (before, decision) => {
      if ("input" in decision) return { ...before, input: decision.input };
      // An approved call waits for nobody any more, but each hook still has its say.
      return "pause" in decision && verdict?.type === "approved" ? before : undefined;
    },
  );
  if (ended !== undefined) {
    if ("skip" in ended) return answeredDecision(prepared, ended.skip);
    if ("deny" in ended) return deniedDecision(prepared, ended.deny);
    if ("pause" in ended || "stop" in ended) return ended;
  }
  if (after.input === prepared.input) return { prepared };
  return { prepared: await tools.validate(prepared.tool, after.input, { signal: run.signal }) };
}

function deniedDecision(prepared: PreparedCall, reason: string): Decision {
  const text = `the call was denied and did not run: ${reason}`;
  return { prepared, outcome: { ok: false, tool: prepared.tool, code: "failed", text } };
}

function answeredDecision(prepared: PreparedCall, output: unknown): Decision {
  // A call of an unknown tool can be answered too; the policy needs only its name.
  return { prepared, outcome: { ok: true, tool: prepared.tool as Tool, value: output } };
}

/** An answer that met its token limit ends in a call that was not finished: it must not run. */
function cutOffText(turn: OpenTurn, position: number, call: ToolCallItem): string | undefined {
  const wasCut = turn.stop.reason === "max_tokens" || turn.stop.reason === "context_window";
  if (!wasCut || position !== turn.calls.length - 1) return undefined;
  if (isWholeJson(call.arguments)) return undefined;
  return (
    "the answer met a token limit while this call was being written; it did not run. " +
    "Make the call again, with shorter arguments or in several calls"
  );
}

function isWholeJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function runDecided(
  run: RunContext,
  turn: OpenTurn,
  decided: readonly Decided[],
): Promise<string | undefined> {
  let stop: string | undefined;
  const movable = new Map<number, NewResult>();
  const tasks = decided.map(async ({ position, call, prepared, outcome }) => {
    const startedAtMs = performance.now();
    const finish = async (made: CallOutcome, signal: AbortSignal): Promise<ToolResultItem> => {
      const { item, stopReason, context } = await makeResult(run, call, made, signal);
      stop ??= stopReason;
      // The call's own signal ends with the call; what the turn still stores is stored after it.
      if (context !== undefined) {
        movable.set(position, { item, context: { ...context, signal: run.signal } });
      }
      return item;
    };
    const onStart = (): void =>
      run.emit({
        type: "tool_start",
        callId: call.callId,
        name: call.name,
        arguments: call.arguments,
      });
    const item =
      outcome === undefined
        ? await run.deps.tools.run(await withReferences(run, call, prepared), call, {
            signal: run.signal,
            finish,
            onStart,
          })
        : await finish(outcome, run.signal);
    turn.results[position] = item;
    const saved = run.checkpoint({ at: "tool_result", turn: run.turn, callId: call.callId });
    if (saved !== undefined) await saved;
    run.emit({
      type: "tool_end",
      callId: call.callId,
      name: call.name,
      isError: item.isError === true,
      durationMs: performance.now() - startedAtMs,
    });
  });
  const settled = await Promise.allSettled(tasks);
  run.signal.throwIfAborted();
  const failed = settled.find((task) => task.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  await shareTurnBudget(run, turn, movable);
  return stop;
}

function withReferences(
  run: RunContext,
  { name }: ToolCallItem,
  prepared: PreparedCall,
): Promise<PreparedCall> {
  const { deps, state, signal } = run;
  const deadline = { timeoutMs: deps.limitsOf(name).storeTimeoutMs, signal };
  return resolveReferences(prepared, {
    store: deps.store,
    knownBlobIds: state.knownBlobIds,
    deadline,
  });
}

interface MadeResult {
  readonly item: ToolResultItem;
  readonly stopReason?: string | undefined;
  /** What the policy was told; present if the result may still go to the store. */
  readonly context?: PolicyContext | undefined;
}

async function makeResult(
  run: RunContext,
  call: ToolCallItem,
  outcome: CallOutcome,
  signal: AbortSignal,
): Promise<MadeResult> {
  if (!outcome.ok && (outcome.code === "aborted" || outcome.code === "timeout")) {
    return { item: errorResult(call, outcome.text) };
  }
  let output = outcome.ok ? outcome.value : outcome.text;
  let isError = !outcome.ok;
  let stopReason: string | undefined;
  if (run.deps.hooks.has("postToolCall")) {
    const facts = { turn: run.turn, callId: call.callId, name: call.name, output, isError };
    const { facts: after, ended } = await run.deps.hooks.run(
      "postToolCall",
      facts,
      run.signal,
      (before, decision) =>
        "output" in decision
          ? { ...before, output: decision.output, isError: decision.isError ?? before.isError }
          : undefined,
    );
    ({ output, isError } = after);
    if (ended !== undefined && "stop" in ended) stopReason = ended.stop;
  }
  if (outcome.ok && outcome.tool?.readsBack === true && isReadBackAnswer(output)) {
    const item = { type: "tool_result", callId: call.callId, summary: output.text } as const;
    return { item: output.isError ? { ...item, isError: true } : item, stopReason };
  }
  // The tool itself has said that this text stays.
  let staysInline = isToolOutput(output) && output.kind === "inline";
  const context: PolicyContext = {
    callId: call.callId,
    toolName: call.name,
    isError,
    limits: run.deps.limitsOf(call.name),
    store: run.deps.store,
    signal,
    report(event) {
      if (event.type === "output_stored") run.state.knownBlobIds.add(event.blobId);
      // What is left of an output that could not be stored is no output to store.
      if (event.type === "output_store_failed") staysInline = true;
      run.emit(event);
    },
  };
  const fields = await run.deps.policy.apply(output, context);
  const item: ToolResultItem = { type: "tool_result", callId: call.callId, ...fields };
  return { item, stopReason, ...(staysInline ? {} : { context }) };
}

function isReadBackAnswer(value: unknown): value is ReadBackAnswer {
  return (
    typeof value === "object" &&
    value !== null &&
    "text" in value &&
    typeof value.text === "string" &&
    "isError" in value &&
    typeof value.isError === "boolean"
  );
}

function errorResult(call: ToolCallItem, text: string): ToolResultItem {
  return { type: "tool_result", callId: call.callId, summary: text, isError: true };
}
