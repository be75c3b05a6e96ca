import type { Desk } from "./blob-reading.js";
import type { Finding } from "./finding.js";
import { look } from "./look.js";
import type { ToolCall } from "./model-view.js";
import { type AnsweredCall, ask, type Script } from "./script.js";
import { type CallTarget, fillInput, type KnownTool, overlap, type ToolRole } from "./tools.js";

const MAX_PATTERNS = 3;
/** What a tool has to share with the question to be called for it. */
const MIN_OVERLAP = 3;

/** Finds a tool for the question, calls it, and reads in what it gives until something is found. */
export function* investigate(desk: Desk, recent: readonly ToolCall[]): Script<readonly Finding[]> {
  const { question } = desk;
  const isFollowUp = question.paths.length === 0 && !question.asksForFiles && asksSomething(desk);
  const named = yield* readPaths(desk);
  if (named.some((finding) => finding.totals !== undefined)) return named;
  const known = isFollowUp ? yield* lookAgain(desk, recent) : named;
  if (known.some((finding) => finding.quotes.length > 0)) return known;
  const fresh = (yield* useFittingTool(desk)) ?? (yield* searchFor(desk)) ?? (yield* browse(desk));
  return fresh === undefined ? known : [...fresh, ...known];
}

function asksSomething({ question }: Desk): boolean {
  return question.terms.length > 0 || question.place !== undefined || question.asksForTotals;
}

function toolFor(desk: Desk, role: ToolRole): KnownTool | undefined {
  const fitting = desk.tools.filter((tool) => tool.role === role);
  return fitting.toSorted((a, b) => overlap(b, desk.question) - overlap(a, desk.question))[0];
}

function planCall(
  desk: Desk,
  tool: KnownTool | undefined,
  target: CallTarget,
): ToolCall | undefined {
  const input = tool && fillInput(tool, desk.question, target);
  return tool === undefined || input === undefined ? undefined : { name: tool.name, input };
}

/** Files and folders that the question names, all at once. */
function* readPaths(desk: Desk): Script<readonly Finding[]> {
  const planned = desk.question.paths.flatMap((path) => {
    const isFolder = /[/\\]$/u.test(path);
    const role = isFolder ? "list" : "read";
    const pattern = desk.question.terms[0]?.text;
    const call =
      planCall(desk, isFolder && pattern !== undefined ? toolFor(desk, "search") : undefined, {
        path,
        pattern,
      }) ??
      planCall(desk, toolFor(desk, role), { path }) ??
      planCall(desk, toolFor(desk, "read"), { path }) ??
      planCall(desk, toolFor(desk, "search"), { path, pattern });
    return call === undefined ? [] : [{ path, call }];
  });
  if (planned.length === 0) return [];
  const names = planned.map(({ path }) => path).join(", ");
  const fresh = desk.question.asksForFresh ? desk.questionIndex : undefined;
  const answers = yield {
    because: `The question names ${names}, so I start there.`,
    calls: planned.map(({ call }) => ({ ...call, after: fresh })),
  };
  const findings: Finding[] = [];
  for (const [index, answer] of answers.entries()) {
    const path = planned[index]?.path ?? "";
    const moved = answer.isError ? yield* findElsewhere(desk, path) : undefined;
    findings.push(yield* look(desk, moved ?? answer));
  }
  return findings;
}

/** A file that could not be read may stand under a similar name in its folder. */
function* findElsewhere(desk: Desk, path: string): Script<AnsweredCall | undefined> {
  const [, folder = "", name = ""] = /^(.*[/\\])?([^/\\]*)$/u.exec(path) ?? [];
  const list = planCall(desk, toolFor(desk, "list"), { path: folder === "" ? "." : folder });
  if (list === undefined) return undefined;
  const listing = yield* ask(list, `${path} could not be read; I look what there is.`);
  if (listing === undefined || listing.isError) return undefined;
  const names = listing.text.match(/[^\s"',[\]/\\]+/gu) ?? [];
  const similar = names.find((entry) => entry !== name && isSimilar(entry, name));
  const call = similar && planCall(desk, toolFor(desk, "read"), { path: folder + similar });
  if (!call) return undefined;
  const found = yield* ask(call, `${folder}${similar} looks like what ${path} means.`);
  return found?.isError === false ? found : undefined;
}

function isSimilar(entry: string, name: string): boolean {
  const stem = (text: string): string => text.toLowerCase().replace(/\.[^.]*$/u, "");
  return entry.toLowerCase() === name.toLowerCase() || stem(entry) === stem(name);
}

/** What the question before this one was answered from may answer this one too. */
function* lookAgain(desk: Desk, recent: readonly ToolCall[]): Script<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const call of recent) {
    const answer = yield* ask(call, "I look again at what I have read before.");
    if (answer !== undefined && !answer.isError) findings.push(yield* look(desk, answer));
  }
  return findings;
}

/** A tool for a purpose of its own, if the question speaks its words. */
function* useFittingTool(desk: Desk): Script<readonly Finding[] | undefined> {
  const [best] = desk.tools
    .filter((tool) => tool.role === "other")
    .map((tool) => ({ tool, score: overlap(tool, desk.question) }))
    .filter(({ score }) => score >= MIN_OVERLAP)
    .toSorted((a, b) => b.score - a.score);
  const call = planCall(desk, best?.tool, {});
  if (call === undefined) return undefined;
  const answer = yield* ask(call, `The question speaks of what ${call.name} is for.`);
  return answer && [yield* look(desk, answer)];
}

/** Searches for the terms of the question, one after the other, until one has a match. */
function* searchFor(desk: Desk): Script<readonly Finding[] | undefined> {
  const tool = toolFor(desk, "search");
  const misses: Finding[] = [];
  for (const term of desk.question.terms.slice(0, MAX_PATTERNS)) {
    const call = planCall(desk, tool, { pattern: term.text });
    if (call === undefined) break;
    const answer = yield* ask(call, `No file is named, so I search for "${term.text}".`);
    if (answer === undefined) break;
    const finding = yield* look(desk, answer, term.text);
    if (finding.quotes.length > 0) return [...misses, finding];
    misses.push(finding);
  }
  return misses.length > 0 ? misses : undefined;
}

/** Lists what there is; if a name in the list fits the question, reads that file. */
function* browse(desk: Desk): Script<readonly Finding[] | undefined> {
  const tool = toolFor(desk, "list");
  const isAboutFiles =
    desk.question.asksForFiles || (tool !== undefined && overlap(tool, desk.question) > 0);
  if (desk.question.terms.length === 0 && !isAboutFiles) return undefined;
  const call = planCall(desk, tool, { path: "." });
  if (call === undefined) return undefined;
  const answer = yield* ask(call, "I look what files there are.");
  if (answer === undefined) return undefined;
  const names = answer.isError ? [] : (answer.text.match(/[^\s"',[\]]+/gu) ?? []);
  const named = names.find((name) =>
    desk.question.terms.some(({ text }) => name.toLowerCase().includes(text.toLowerCase())),
  );
  const reader = named && planCall(desk, toolFor(desk, "read"), { path: named });
  if (!reader) return [yield* look(desk, answer)];
  const content = yield* ask(reader, `${named} sounds like what the question is about.`);
  return content && [yield* look(desk, content)];
}
