import { lineRange } from "../blob/line-ranges.js";
import { CHARACTER_LOOKBACK_BYTES, characterStart } from "./characters.js";
import { InspectError } from "./inspect-error.js";
import { printSelector, type SelectorStep } from "./selector.js";
import { describeView, isText, type Scope, type View } from "./view.js";

type LinesStep = Extract<SelectorStep, { type: "lines" }>;
type BytesStep = Extract<SelectorStep, { type: "bytes" }>;

/** All of a view. */
export function wholeScope(view: View): Scope {
  return { start: 0, end: view.reader.stat.byteCount, firstLine: 1 };
}

/** The part of `within` that lies in the lines asked for. */
export async function linesScope(view: View, within: Scope, step: LinesStep): Promise<Scope> {
  const { lineCount = Infinity } = view.reader.stat;
  if (!isText(view.kind)) throw wrongKind(view, step);
  if (step.first < 1) throw outOfRange(view, step, "lines are counted from 1");
  if (step.last !== undefined && step.last < step.first) throw backwards(view, step);
  if (step.first > lineCount) throw outOfRange(view, step, `there are ${lineCount} lines`);

  const lastLine = Math.min(step.last ?? Infinity, lineCount);
  const { start, end, firstLine } = await lineRange(view.reader, step.first - 1, lastLine);
  return intersect(view, within, { start, end, firstLine: firstLine + 1, lastLine }, step);
}

/**
 * The part of `within` that lies in the bytes asked for. In text, both ends are moved down to where
 * a character begins, so that ranges that meet still meet; a range inside one character is that
 * character.
 */
export async function bytesScope(view: View, within: Scope, step: BytesStep): Promise<Scope> {
  const { byteCount } = view.reader.stat;
  if (step.end !== undefined && step.end <= step.start) throw backwards(view, step);
  if (step.start >= byteCount) throw outOfRange(view, step, `there are ${byteCount} bytes`);

  const end = Math.min(step.end ?? Infinity, byteCount);
  const asked = { start: step.start, end };
  const scope = view.kind === "binary" ? asked : await wholeCharacters(view, asked);
  return intersect(view, within, scope, step);
}

async function wholeCharacters(view: View, { start, end }: Scope): Promise<Scope> {
  const from = await characterStartAt(view, start);
  let to = await characterStartAt(view, end);
  for (let at = end; to <= from;) to = await characterStartAt(view, ++at);
  return { start: from, end: to };
}

async function characterStartAt(view: View, offset: number): Promise<number> {
  if (offset <= 0 || offset >= view.reader.stat.byteCount) return offset;
  const base = Math.max(0, offset - CHARACTER_LOOKBACK_BYTES);
  const bytes = await view.reader.read(base, offset + 1);
  return base + characterStart(bytes, offset - base);
}

function intersect(view: View, within: Scope, scope: Scope, step: SelectorStep): Scope {
  const start = Math.max(within.start, scope.start);
  const end = Math.min(within.end, scope.end);
  if (start < end) {
    const firstLine = scope.start === start ? scope.firstLine : undefined;
    return { start, end, firstLine, lastLine: scope.end === end ? scope.lastLine : undefined };
  }
  const left = `the step before it leaves bytes ${within.start}-${within.end}`;
  throw outOfRange(view, step, `${left}; line numbers and offsets still count from the beginning`);
}

const madeFor: Readonly<Record<SelectorStep["type"], string>> = {
  lines: "text",
  slice: "arrays and NDJSON",
  key: "objects",
  bytes: "everything",
  find: "everything",
};

/** The step is for another kind of value. */
export function wrongKind(view: View, step: SelectorStep, advice?: string): InspectError {
  const message = `${step.type}: is for ${madeFor[step.type]}, this is ${view.kind}`;
  const hint = advice === undefined ? "" : `; ${advice}`;
  return new InspectError("wrong_kind", `${message}${hint}\n${describeView(view)}`);
}

/** The step asks for what is not there. */
export function outOfRange(view: View, step: SelectorStep, problem: string): InspectError {
  return new InspectError(
    "out_of_range",
    `${printSelector([step])}: ${problem}\n${describeView(view)}`,
  );
}

/** The step's range ends before it begins. */
export function backwards(view: View, step: SelectorStep): InspectError {
  const message = `${printSelector([step])}: the range is empty or runs backwards`;
  return new InspectError("bad_selector", `${message}\n${describeView(view)}`);
}
