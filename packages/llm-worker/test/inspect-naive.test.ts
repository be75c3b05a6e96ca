import fc from "fast-check";
import { expect, test } from "vitest";
import type { BlobAnswer } from "../src/inspect/answer.js";
import {
  parseSelector,
  printSelector,
  type Selector,
  type SelectorStep,
} from "../src/inspect/selector.js";
import { expectAnswerForm } from "./support/answers.js";
import { BLOB_ID, byteStore } from "./support/byte-store.js";
import { jsonText, stringLiteral } from "./support/json-text.js";
import {
  entriesOf,
  inspectNaively,
  lineSpans,
  membersOf,
  type NaiveAnswer,
  type NaiveView,
  stepInto,
  viewOf,
} from "./support/naive-inspect.js";
import { walk } from "./support/walk.js";

const MAX_ANSWER_BYTES = 1024;

const character = fc.constantFrom(
  ...'ab|"\\ \t\r\n\n\u0000\ufeff\u2028漢é😀',
  "👨‍👩‍👧",
  "e\u0301",
  "\r\n",
);
const text = fc
  .tuple(fc.array(character, { maxLength: 60 }), fc.constantFrom(1, 2, 40))
  .map(([characters, times]): NaiveView => ({
    kind: "text",
    bytes: Buffer.from(characters.join("").repeat(times)),
  }));
const large = stringLiteral.map(
  (literal) => `[${Array.from({ length: 40 }, () => literal).join()}]`,
);
const values = fc.array(fc.oneof(jsonText, jsonText, large), { maxLength: 6 });
const json = fc
  .tuple(values, fc.constantFrom(1, 1, 8), fc.boolean())
  .map(([texts, times, isObject]): NaiveView => {
    const parts = Array.from({ length: times }, () => texts).flat();
    const keyOf = (i: number): string => (i % 3 === 0 ? "a" : `k${i}`);
    const members = parts.map((part, i) => `"${keyOf(i)}":${part}`);
    return viewOf(Buffer.from(isObject ? `{${members.join()}}` : `[${parts.join(" , ")}]`));
  });
const ndjson = fc
  .tuple(
    fc.array(jsonText, { minLength: 1, maxLength: 12 }),
    fc.constantFrom("\n", "\r\n", "\n \n"),
  )
  .map(([texts, lineEnd]): NaiveView => {
    const lines = texts.map((line) => `[${line.replaceAll(/[\r\n]/g, " ")}]`);
    return { kind: "ndjson", bytes: Buffer.from(lines.join(lineEnd)) };
  });
const view = fc.oneof(text, json, ndjson);

/** Numbers that become a step that fits what the steps before it leave, more or less. */
const choice = fc.record({
  verb: fc.constantFrom<SelectorStep["type"]>(
    "key",
    "key",
    "slice",
    "slice",
    "lines",
    "bytes",
    "find",
  ),
  at: fc.oneof(fc.constantFrom(0, 0.99), fc.double({ min: 0, max: 1.1, noNaN: true })),
  length: fc.constantFrom(1, 1, 2, 7, 900, Infinity, 0),
});

test("from the first answer to the last, any selector shows what a look at the whole shows", async () => {
  await fc.assert(
    fc.asyncProperty(view, fc.array(choice, { maxLength: 4 }), async (blob, choices) => {
      const steps = stepsOf(blob, choices);
      const selector = printSelector(steps);
      expect(parseSelector(selector)).toEqual(steps);
      if (Buffer.byteLength(selector) > MAX_ANSWER_BYTES / 8) return;
      const kind = blob.kind === "text" || blob.kind === "ndjson" ? "text" : "structured";
      const store = byteStore(blob.bytes, kind);
      const options = { selector, maxAnswerBytes: MAX_ANSWER_BYTES };
      const { answers } = await walk(store, BLOB_ID, options);
      for (const answer of answers) expectAnswerForm(answer, MAX_ANSWER_BYTES);
      const expected = inspectNaively(blob, steps);
      expect(shownBy(answers, expected)).toEqual(expected);
    }),
    { numRuns: 800 },
  );
});

interface Choice {
  readonly verb: SelectorStep["type"];
  readonly at: number;
  readonly length: number;
}

function stepsOf(blob: NaiveView, choices: readonly Choice[]): Selector {
  const steps: SelectorStep[] = [];
  let current = blob;
  for (const each of choices) {
    const step = stepOf(current, each);
    steps.push(step);
    if (step.type === "find") break;
    const next = step.type === "key" || step.type === "slice" ? stepInto(current, step) : current;
    if (typeof next !== "string") current = next;
  }
  return steps;
}

function stepOf(view: NaiveView, { verb, at, length }: Choice): SelectorStep {
  const startIn = (count: number): number => Math.floor(at * count);
  const endOf = (start: number): number | undefined =>
    length === Infinity ? undefined : start + length;
  switch (verb) {
    case "key": {
      const keys = view.kind === "object" ? membersOf(view).map(({ key }) => key) : [];
      return { type: "key", name: keys[startIn(keys.length)] ?? "none" };
    }
    case "slice": {
      const start = startIn(entriesOf(view)?.length ?? 3);
      return { type: "slice", start, end: endOf(start) };
    }
    case "lines": {
      const first = startIn(lineSpans(view.bytes).length + 1);
      return { type: "lines", first, last: endOf(Math.max(0, first - 1)) };
    }
    case "bytes": {
      const start = startIn(view.bytes.length);
      return { type: "bytes", start, end: endOf(start) };
    }
    case "find": {
      const start = startIn(view.bytes.length);
      const piece = view.bytes.subarray(start, start + Math.min(length, 40)).toString();
      return { type: "find", text: piece === "" ? "a" : piece };
    }
  }
}

/** What answers have shown from the first to the last, told as the naive answer is. */
function shownBy(answers: readonly BlobAnswer[], expected: NaiveAnswer): NaiveAnswer {
  const code = answers[0]?.code;
  if (code !== undefined) return { type: "error", code };
  switch (expected.type) {
    case "error":
    case "bytes":
      return { type: "bytes", bytes: payloadOf(answers) };
    case "places": {
      const lines = answers.flatMap((answer) => answer.text.split("\n").slice(1));
      const places = lines.map((line) => /^(?:\w+ \d+ \(byte (\d+)\)|byte (\d+)): /.exec(line));
      const offsets = places.flatMap((place) => place?.[1] ?? place?.[2] ?? []);
      return { type: "places", offsets: offsets.map(Number) };
    }
    case "entries":
      return { type: "entries", entries: shownEntries(answers, expected.entries) };
  }
}

/** Entries that fit are shown as such; from one on that does not, what is left is shown by bytes. */
function shownEntries(
  answers: readonly BlobAnswer[],
  expected: readonly string[],
): readonly string[] {
  const isWhole = ({ header }: BlobAnswer): boolean => / \| entries \d+\.\./.test(header);
  const whole = answers.filter(isWhole);
  const shown = whole.flatMap(({ payload, header }) => textsOf(Buffer.from(payload), header));
  const rest = answers.filter((answer) => !isWhole(answer));
  const [first] = rest;
  if (first === undefined) return shown;
  const last = expected.at(-1) ?? "";
  const isLast = shown.length === expected.length - 1;
  if (isLast && payloadOf(rest).equals(viewOf(Buffer.from(last)).bytes)) return [...shown, last];
  return [...shown, ...textsOf(payloadOf(rest), first.header)];
}

/** The entries of a list that is shown. */
function textsOf(bytes: Buffer, header: string): readonly string[] {
  const kind = header.includes("] text |") ? "ndjson" : "array";
  const spans = entriesOf({ kind, bytes }) ?? [];
  return spans.map(({ start, end }) => bytes.toString("utf8", start, end));
}

function payloadOf(answers: readonly BlobAnswer[]): Buffer {
  return Buffer.concat(answers.map(({ payload }) => payload));
}
