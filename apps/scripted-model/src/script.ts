import { canonicalJson } from "./json.js";
import type { Action, CallEntry, HistoryEntry, ToolCall } from "./model-view.js";

/** A call that a script waits for. */
export interface PlannedCall extends ToolCall {
  /** Only a result behind this place of the history counts: the call is to be made anew. */
  readonly after?: number | undefined;
}

/** Calls that a script needs answered before it can go on, and why. */
export interface ScriptStep {
  readonly because: string;
  readonly calls: readonly PlannedCall[];
}

/** What came of a call. */
export interface AnsweredCall {
  readonly call: ToolCall;
  readonly text: string;
  readonly isError: boolean;
  /** Its place in the history. */
  readonly index: number;
}

/**
 * The model's work on one question, written straight on: it yields the calls that it needs, gets
 * their results, and returns. It keeps no state between requests; each request runs it again from
 * its beginning on the results that the history holds.
 */
export type Script<T> = Generator<ScriptStep, T, readonly AnsweredCall[]>;

/** What a finished script says. */
export interface Conclusion {
  readonly because: string;
  readonly text: string;
}

/** What a script is run on. */
export interface ReplayOptions {
  readonly history: readonly HistoryEntry[];
  /** Where in the history the question stands. */
  readonly questionIndex: number;
  readonly allowsParallelCalls: boolean;
  /** After so many calls on one question the model stops, whatever the script wants. */
  readonly maxCalls: number;
}

/** Runs a script on the history, up to the first call that has no result there, or to its end. */
export function replay(script: Script<Conclusion>, options: ReplayOptions): Action {
  const { history, questionIndex, allowsParallelCalls, maxCalls } = options;
  let step = script.next();
  while (step.done !== true) {
    const { calls, because } = step.value;
    const results = calls.map((call) => findResult(call, history, questionIndex));
    const missing = calls.filter((_, index) => results[index] === undefined);
    if (missing.length > 0) {
      const made = history.slice(questionIndex).filter((entry) => entry.type === "call").length;
      if (made + missing.length > maxCalls) return giveUp(made);
      const now = allowsParallelCalls ? withoutRepeats(missing) : missing.slice(0, 1);
      return { type: "call", because, calls: now.map(({ name, input }) => ({ name, input })) };
    }
    step = script.next(results.filter((result) => result !== undefined));
  }
  return { type: "answer", ...step.value };
}

/** One call, answered. */
export function* ask(call: PlannedCall, because: string): Script<AnsweredCall | undefined> {
  const [answer] = yield { because, calls: [call] };
  return answer;
}

/**
 * The result that a call has in the history. From before the question the newest counts, unless it
 * failed; else the first since. So a script meets the same results however often it runs again.
 */
function findResult(
  call: PlannedCall,
  history: readonly HistoryEntry[],
  questionIndex: number,
): AnsweredCall | undefined {
  const input = canonicalJson(call.input);
  const answers = history.flatMap((entry, index): AnsweredCall[] =>
    isSameCall(entry, call.name, input) ? [{ call, ...entry.result, index }] : [],
  );
  const after = call.after ?? -1;
  const earlier = answers.findLast(
    (answer) => answer.index > after && answer.index < questionIndex && !answer.isError,
  );
  return earlier ?? answers.find((answer) => answer.index > Math.max(after, questionIndex));
}

function isSameCall(entry: HistoryEntry, name: string, input: string): entry is CallEntry {
  return entry.type === "call" && entry.name === name && canonicalJson(entry.input) === input;
}

function withoutRepeats(calls: readonly PlannedCall[]): readonly PlannedCall[] {
  const seen = new Set<string>();
  return calls.filter((call) => {
    const key = `${call.name} ${canonicalJson(call.input)}`;
    return !seen.has(key) && seen.add(key);
  });
}

function giveUp(made: number): Action {
  return {
    type: "answer",
    because: "I have made as many calls as I may.",
    text: `I stopped after ${made} tool calls without having what the question asks for.`,
  };
}
