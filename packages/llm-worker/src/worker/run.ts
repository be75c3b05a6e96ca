import { INSPECT_TOOL_NAME } from "../inspect/inspect-tool.js";
import type { StopInfo, StopReason } from "../model/event.js";
import { type Item, messageText, type MessageItem, type ToolCallItem } from "../model/item.js";
import { answerCalls, closeTurn, closingItems } from "./answer-calls.js";
import { askModel } from "./ask-model.js";
import { addItems, DEFAULT_MAX_TURNS, type RunContext } from "./run-context.js";
import { type LimitName, type PendingCall, RunError, type RunResult } from "./run-result.js";
import { blobsOf, openTurn, type PauseState } from "./state.js";
import { requestItems } from "./request-items.js";
import { findVanishedBlobs, toldBlobIds, vanishedNote } from "./vanished-blobs.js";

/** How a run is over. */
type RunEnd = Pick<RunResult, "status" | "reason" | "limit" | "pending">;

type RunEndStatus = RunResult["status"] | "failed";

/** What a turn leads to: the next turn, or the end. */
type TurnEnd = { readonly next: "ask" } | { readonly end: RunEnd };

/**
 * The turn loop: submit → request → collect → run tools → again, until the model calls no more
 * tools, a limit is met, a hook ends it, or it is paused or aborted. On every way out each call in
 * the history has its one result, unless the run is paused: then the open turn waits in the state.
 */
export async function executeRun(
  run: RunContext,
  prompt: MessageItem | undefined,
  wallTime: AbortSignal,
): Promise<RunResult> {
  let lastStop: StopInfo | undefined;
  let end: RunEnd;
  const { name, model } = run.deps.provider;
  run.emit({ type: "run_start", provider: name, model });
  try {
    end = await loop(run, prompt, (stop) => (lastStop = stop));
  } catch (thrown) {
    if (!run.signal.aborted) {
      settleOpenTurn(run, "the run failed before this call had a result");
      await checkpointEnd(run, { status: "failed" })?.catch((error: unknown) => {
        // It is not what the run failed of, but somebody should know.
        if (error !== thrown) run.emit({ type: "subscriber_failed", error });
      });
      run.emit({ type: "run_end", status: "failed" });
      throw thrown;
    }
    end = wallTime.aborted ? { status: "limit", limit: "wall_time" } : { status: "aborted" };
  }
  if (end.status !== "paused")
    settleOpenTurn(run, "the run was stopped before this call had a result");
  try {
    await checkpointEnd(run, end);
    await tellHooks(run, end);
  } catch (error) {
    run.emit({ type: "run_end", status: "failed" });
    throw error;
  }
  run.emit({ type: "run_end", status: end.status, limit: end.limit });
  return {
    ...end,
    items: run.added,
    text: lastText(run.added),
    usage: run.usage,
    turns: run.answers,
    stop: lastStop,
  };
}

function checkpointEnd(
  run: RunContext,
  { status, limit, reason }: Pick<RunEnd, "limit" | "reason"> & { status: RunEndStatus },
): Promise<void> | undefined {
  const { answers: turns, usage } = run;
  return run.checkpoint({ at: "run_end", status, limit, reason, turns, usage });
}

async function tellHooks({ deps, signal }: RunContext, end: RunEnd): Promise<void> {
  if (end.status === "paused") {
    try {
      await deps.hooks.run("onPause", { reason: end.reason ?? "" }, signal);
    } catch (thrown) {
      // The pause is saved by now, so it stands: an abort ends no more than the hooks.
      if (thrown !== signal.reason) throw thrown;
    }
  }
  if (end.status === "aborted") {
    await deps.hooks.run("onAbort", { reason: signal.reason }, new AbortController().signal);
  }
}

async function loop(
  run: RunContext,
  prompt: MessageItem | undefined,
  onStop: (stop: StopInfo) => void,
): Promise<RunEnd> {
  const resumed = run.state.pause;
  run.state.pause = undefined;
  run.signal.throwIfAborted();
  if (prompt !== undefined) {
    const cancelled = await submit(run, prompt);
    if (cancelled !== undefined) return { status: "finished", reason: cancelled };
  }
  if (resumed !== undefined) {
    await resume(run, resumed);
    if (resumed.next === "end" && run.added.length === 0) return { status: "finished" };
  }
  await reportVanishedBlobs(run);
  let turnEnd: TurnEnd | undefined =
    run.state.openTurn === undefined ? undefined : await endTurn(run, run.state.items.length);
  for (;;) {
    if (turnEnd !== undefined && "end" in turnEnd) return turnEnd.end;
    const limit = metLimit(run);
    if (limit !== undefined) return { status: "limit", limit };
    turnEnd = await takeTurn(run, onStop);
  }
}

async function submit(run: RunContext, prompt: MessageItem): Promise<string | undefined> {
  const { facts, ended } = await run.deps.hooks.run(
    "onPromptSubmit",
    { item: prompt },
    run.signal,
    (_before, decision) => ("item" in decision ? decision : undefined),
  );
  if (ended !== undefined && "cancel" in ended) return ended.cancel;
  addItems(run, [facts.item]);
  return undefined;
}

async function resume(run: RunContext, pause: PauseState): Promise<void> {
  run.turn = pause.turn;
  const context: Item[] = [];
  await run.deps.hooks.run("onResume", { reason: pause.reason }, run.signal, (facts, decision) => {
    context.push(...decision.addContext);
    return facts;
  });
  addContext(run, context);
}

/** Results of an open turn come first on every wire, so context waits until it is closed. */
function addContext(run: RunContext, context: readonly Item[]): void {
  if (run.state.openTurn === undefined) addItems(run, context);
  else run.state.openTurn.followUp.push(...context);
}

async function reportVanishedBlobs(run: RunContext): Promise<void> {
  const { state, deps, signal } = run;
  if (!state.hasUncheckedBlobs || deps.store === undefined) return;
  const told = toldBlobIds([...state.items, ...(state.openTurn?.followUp ?? [])]);
  const named = blobsOf([...state.items, ...(state.openTurn?.results ?? [])]).filter(
    ({ id }) => !told.has(id),
  );
  // As long as the tool may wait that reads them back.
  const { storeTimeoutMs: timeoutMs } = deps.limitsOf(INSPECT_TOOL_NAME);
  const vanished = await findVanishedBlobs(named, deps.store, { timeoutMs, signal });
  state.hasUncheckedBlobs = false;
  if (vanished.length > 0) addContext(run, [vanishedNote(vanished)]);
}

async function takeTurn(run: RunContext, onStop: (stop: StopInfo) => void): Promise<TurnEnd> {
  run.turn += 1;
  const { turn } = run;
  const firstOfTurn = run.state.items.length;
  run.emit({ type: "turn_start", turn });
  const { ended } = await run.deps.hooks.run("onTurnStart", { turn }, run.signal);
  if (ended !== undefined) return { end: { status: "finished", reason: ended.stop } };

  const outgoing = await requestItems(run);
  if ("cancel" in outgoing) return { end: { status: "finished", reason: outgoing.cancel } };

  await run.checkpoint({ at: "request", turn });
  const answer = await askModel(run, outgoing.items);
  if (answer.type === "failed") {
    throw new RunError(answer.error, {
      partialItems: answer.partialItems,
      usage: run.usage,
      turns: run.answers,
    });
  }
  if (answer.type === "aborted") {
    takeAnswer(run, answer.items, { reason: "none" });
    run.signal.throwIfAborted();
    return { end: { status: "aborted" } };
  }
  run.answers += 1;
  onStop(answer.stop);
  const { facts, ended: rejected } = await run.deps.hooks.run(
    "postLlmResponse",
    { turn, items: answer.items, stop: answer.stop },
    run.signal,
    (before, decision) => ("items" in decision ? { ...before, items: decision.items } : undefined),
  );
  if (rejected !== undefined && "reject" in rejected) {
    run.emit({ type: "response_rejected", turn, reason: rejected.reject });
    addItems(run, [
      { type: "message", role: "user", content: [{ type: "text", text: rejected.reject }] },
    ]);
    run.emit({ type: "turn_end", turn });
    return { next: "ask" };
  }
  takeAnswer(run, facts.items, answer.stop);
  return endTurn(run, firstOfTurn, answer.stop);
}

/** Puts an answer into the history and opens the turn of its calls, in one step. */
function takeAnswer(run: RunContext, items: readonly Item[], stop: StopInfo): void {
  const calls = items.filter((item): item is ToolCallItem => item.type === "tool_call");
  const opened = calls.length === 0 ? undefined : openTurn(calls, stop);
  if (opened !== undefined && REFUSING_REASONS.has(stop.reason)) {
    addItems(run, [...items, ...closingItems(opened, REFUSED_CALL_TEXT)]);
    return;
  }
  run.state.openTurn = opened;
  addItems(run, items);
}

/** The provider took the answer back: its calls must not run, and asking on would be in vain. */
const REFUSING_REASONS: ReadonlySet<StopReason> = new Set<StopReason>([
  "refusal",
  "content_filter",
]);
const REFUSED_CALL_TEXT =
  "the answer that made this call was refused by the provider; it did not run";

/** Answers the calls of the turn, if there are any, and asks the hooks what follows. */
async function endTurn(run: RunContext, firstOfTurn: number, stop?: StopInfo): Promise<TurnEnd> {
  const { state } = run;
  const open = state.openTurn;
  if (open !== undefined) {
    if (state.pauseRequest !== undefined)
      return { end: pauseRun(run, state.pauseRequest, "answer") };
    const verdict = await answerCalls(run, open);
    if (verdict.pause !== undefined)
      return { end: pauseRun(run, verdict.pause.reason, "answer", verdict.pause.pending) };
    if (verdict.stop !== undefined) return { end: { status: "finished", reason: verdict.stop } };
  }
  run.emit({ type: "turn_end", turn: run.turn });
  await run.checkpoint({ at: "turn_end", turn: run.turn });
  // A server that paused a long turn of its own goes on when it gets the turn back as it is.
  const willContinue = open !== undefined || stop?.reason === "pause";
  const { ended } = await run.deps.hooks.run(
    "onTurnEnd",
    { turn: run.turn, items: state.items.slice(firstOfTurn), willContinue },
    run.signal,
  );
  if (ended !== undefined) {
    if ("stop" in ended) return { end: { status: "finished", reason: ended.stop } };
    if ("pause" in ended) return { end: pauseRun(run, ended.pause, willContinue ? "ask" : "end") };
    addItems(run, ended.continueWith);
    return { next: "ask" };
  }
  if (!willContinue) return { end: { status: "finished" } };
  if (state.pauseRequest !== undefined) return { end: pauseRun(run, state.pauseRequest, "ask") };
  return { next: "ask" };
}

function pauseRun(
  run: RunContext,
  reason: string,
  next: PauseState["next"],
  waiting: readonly ToolCallItem[] = run.state.openTurn?.calls ?? [],
): RunEnd {
  run.state.pause = { reason, next, turn: run.turn };
  run.state.pauseRequest = undefined;
  const pending: PendingCall[] = waiting.map(({ callId, name, arguments: text }) => ({
    callId,
    name,
    arguments: text,
  }));
  run.emit({ type: "paused", reason, pending });
  return { status: "paused", reason, pending };
}

function settleOpenTurn(run: RunContext, missingText: string): void {
  if (run.state.openTurn !== undefined) closeTurn(run, run.state.openTurn, missingText);
}

function metLimit(run: RunContext): LimitName | undefined {
  const { maxTurns = DEFAULT_MAX_TURNS, maxTokens } = run.deps.limits;
  if (run.turn >= maxTurns) return "turns";
  const tokens = (run.usage.inputTokens ?? 0) + (run.usage.outputTokens ?? 0);
  if (maxTokens !== undefined && tokens >= maxTokens) return "tokens";
  return undefined;
}

/** The text of the last answer: what the model said since the last result or prompt. */
function lastText(items: readonly Item[]): string {
  let text = "";
  for (const item of items) {
    if (item.type === "tool_result") text = "";
    else if (item.type === "message") text = item.role === "user" ? "" : text + messageText(item);
  }
  return text;
}
