import { BlobReading, type Desk, type GoneOutput } from "./blob-reading.js";
import type { Finding } from "./finding.js";
import type { ToolCall } from "./model-view.js";
import { readToolResult } from "./read-results.js";
import { type AnsweredCall, ask, type Script } from "./script.js";
import { searchBlob } from "./search-blob.js";
import { readSearchOutput, type SearchOutput } from "./search-output.js";
import { searchText } from "./search-text.js";

/** So many parts of a stored search output are read. */
const MAX_OUTPUT_PARTS = 4;

/**
 * Looks in one result for what the question asks. If the output is stored no longer, a tool that only
 * reads is called once more.
 *
 * @param pattern what the call searched for, if it was a search
 */
export function* look(desk: Desk, answer: AnsweredCall, pattern?: string): Script<Finding> {
  const source = nameSource(desk, answer.call);
  const { finding, gone } = yield* lookOnce(desk, answer, { source, pattern });
  if (gone === undefined) return finding;
  const what = `The stored output of ${describeCall(answer.call)} ${gone.how}`;
  const again = yield* callAgain(desk, answer.call, gone);
  if (again === undefined) {
    return { ...finding, notes: [`${what}; I answer from what was read before.`] };
  }
  const renewed = yield* lookOnce(desk, again, { source, pattern });
  const notes = [`${what}, so I called the tool again.`, ...renewed.finding.notes];
  return { ...renewed.finding, notes };
}

interface Look {
  readonly finding: Finding;
  readonly gone?: GoneOutput | undefined;
}

function* lookOnce(desk: Desk, answer: AnsweredCall, output: SearchOutput): Script<Look> {
  const { source } = output;
  if (answer.isError) {
    const notes = [`${describeCall(answer.call)} failed: ${firstLines(answer.text)}`];
    return { finding: { source, quotes: [], checked: [], notes } };
  }
  const result = readToolResult(answer.text);
  const isSearch = roleOf(desk, answer.call) === "search";
  if (result.type === "inline") {
    const read = isSearch ? readSearchOutput : searchText;
    return { finding: read(result.text, desk.question, output) };
  }
  const reading = new BlobReading(desk, result, describeCall(answer.call));
  const finding = isSearch
    ? yield* readStoredOutput(desk, reading, output)
    : yield* searchBlob(desk, reading, source);
  return { finding, gone: reading.gone };
}

/** The first parts of a search tool's output: all of it, where it is short enough. */
function* readStoredOutput(
  desk: Desk,
  reading: BlobReading,
  output: SearchOutput,
): Script<Finding> {
  let text = "";
  let next: string | undefined = "";
  for (let parts = 0; parts < MAX_OUTPUT_PARTS && next !== undefined; parts++) {
    const part: { payload: string; next?: string | undefined } | undefined =
      yield* reading.read(next);
    if (part === undefined) break;
    text += part.payload;
    next = part.next;
  }
  const shown = text === "" ? reading.blob.head : text;
  const finding = readSearchOutput(shown, desk.question, output);
  const isComplete = text !== "" && next === undefined;
  const unread = `I have read only the first part of its output (${reading.blob.totals}).`;
  const notes = [...reading.failures, ...(isComplete ? [] : [unread])];
  return { ...finding, totals: reading.blob.totals, notes };
}

function* callAgain(
  desk: Desk,
  call: ToolCall,
  gone: GoneOutput,
): Script<AnsweredCall | undefined> {
  const role = roleOf(desk, call);
  if (role === undefined || role === "other") return undefined;
  const answer = yield* ask(
    { ...call, after: gone.index },
    `The stored output of ${describeCall(call)} ${gone.how}; I call the tool once more.`,
  );
  return answer?.isError === false ? answer : undefined;
}

function roleOf(desk: Desk, call: ToolCall): string | undefined {
  return desk.tools.find((tool) => tool.name === call.name)?.role;
}

/** What a call's result is called in an answer: the path that it read, or the call itself. */
function nameSource(desk: Desk, call: ToolCall): string {
  const path = Object.entries(call.input).find(([name]) => /path|file/iu.test(name))?.[1];
  const isRead = roleOf(desk, call) === "read";
  return isRead && typeof path === "string" ? path : describeCall(call);
}

function describeCall(call: ToolCall): string {
  return `${call.name}(${JSON.stringify(call.input)})`;
}

function firstLines(text: string): string {
  return text.split("\n").slice(0, 3).join(" ").slice(0, 300);
}
