import type { Desk } from "./blob-reading.js";
import { composeAnswer } from "./compose.js";
import { investigate } from "./investigate.js";
import { isObject } from "./json.js";
import type {
  Action,
  CallEntry,
  HistoryEntry,
  ModelView,
  ToolCall,
  ToolChoice,
} from "./model-view.js";
import { isContinuation, readQuestion } from "./question.js";
import { type Conclusion, replay, type Script } from "./script.js";
import { fillInput, type KnownTool, readTool } from "./tools.js";

/** So many tool calls the model makes for one question, whatever comes of them. */
export const MAX_CALLS = 20;

const INTRODUCTION =
  "I am a scripted model: a small program, not a language model. I call the tools that I am given, " +
  "read in what they return, and quote it. Ask me about a file, or for words to look for.";

/**
 * What the model does next, from the request alone: calls that it needs, or its answer. Pure: the same
 * view gives the same action.
 */
export function nextAction(view: ModelView): Action {
  const { history } = view;
  const questionIndex = findQuestion(history);
  const entry = history[questionIndex];
  const question = readQuestion(entry?.type === "user" ? entry.text : "");
  const declared = view.tools.map(readTool);
  const tools = declared.filter((tool) => isAllowed(tool, view.toolChoice));
  const desk: Desk = { question, tools, questionIndex, inspectCalls: 0 };
  const action = replay(work(desk, recentCalls(history, questionIndex, tools)), {
    history,
    questionIndex,
    allowsParallelCalls: view.allowsParallelCalls,
    maxCalls: MAX_CALLS,
  });
  return action.type === "answer" && mustCall(view.toolChoice) ? forceCall(desk, action) : action;
}

function* work(desk: Desk, recent: readonly ToolCall[]): Script<Conclusion> {
  const findings = yield* investigate(desk, recent);
  if (findings.length > 0) {
    return {
      because: "I have read what I can; I answer from it.",
      text: composeAnswer(desk.question, findings),
    };
  }
  const because = "Nothing in this message is a task for a tool.";
  if (desk.tools.length > 0) return { because, text: INTRODUCTION };
  return { because, text: `${INTRODUCTION} This request declares no tool that I may call.` };
}

/** The last message of the user, or the one before it if the last only says "go on". */
function findQuestion(history: readonly HistoryEntry[]): number {
  const isQuestion = (entry: HistoryEntry): boolean =>
    entry.type === "user" && !isContinuation(entry.text);
  const last = history.findLastIndex(isQuestion);
  return last === -1 ? history.findLastIndex((entry) => entry.type === "user") : last;
}

/** The calls that the question before this one was answered from, without those of `inspect`. */
function recentCalls(
  history: readonly HistoryEntry[],
  questionIndex: number,
  tools: readonly KnownTool[],
): ToolCall[] {
  const inspectName = tools.find((tool) => tool.role === "inspect")?.name;
  const isUseful = (entry: HistoryEntry): entry is CallEntry =>
    entry.type === "call" && entry.name !== inspectName && !entry.result.isError;
  const last = history.slice(0, Math.max(0, questionIndex)).findLastIndex(isUseful);
  const start = history.slice(0, last + 1).findLastIndex((entry) => entry.type === "user");
  return history
    .slice(start + 1, last + 1)
    .filter(isUseful)
    .flatMap(({ name, input }) => (isObject(input) ? [{ name, input }] : []));
}

function isAllowed(tool: KnownTool, choice: ToolChoice): boolean {
  if (typeof choice === "object") return tool.name === choice.name;
  return choice !== "none";
}

function mustCall(choice: ToolChoice): boolean {
  return choice === "required" || typeof choice === "object";
}

/** A request that demands a call gets one, as well as the question fills it. */
function forceCall(desk: Desk, answer: Action): Action {
  const target = { path: desk.question.paths[0], pattern: desk.question.terms[0]?.text };
  const inspectLast = desk.tools.toSorted(
    (a, b) => Number(a.role === "inspect") - Number(b.role === "inspect"),
  );
  const [call] = inspectLast.flatMap((tool): ToolCall[] => {
    const input = fillInput(tool, desk.question, target);
    return input === undefined ? [] : [{ name: tool.name, input }];
  });
  return call === undefined
    ? answer
    : { type: "call", because: "The request demands a call.", calls: [call] };
}
