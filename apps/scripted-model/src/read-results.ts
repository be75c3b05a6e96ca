/** What is known of a stored output from its summary. */
export interface BlobSummary {
  readonly type: "stored";
  readonly blobId: string;
  /** `text`, `json_array`, `json_object`, `binary`, or what else the summary says. */
  readonly kind: string;
  readonly lineCount?: number | undefined;
  readonly entryCount?: number | undefined;
  readonly keyCount?: number | undefined;
  readonly byteCount?: number | undefined;
  /** The line of totals without the id. */
  readonly totals: string;
  /** Names of the keys that the summary lists. */
  readonly keys: readonly string[];
  /** Whether `keys` are all there are. */
  readonly listsAllKeys: boolean;
  readonly head: string;
  readonly tail: string;
}

/** A result that is whole in the conversation. */
export interface InlineText {
  readonly type: "inline";
  readonly text: string;
}

const BLOB_LINE = /^\[blob:([^\]\s]+)\][ \t]*(.*)$/u;

/** Reads a tool result: the summary of a stored output, or a text that is all there is. */
export function readToolResult(text: string): BlobSummary | InlineText {
  const lines = text.split(/\r?\n/u);
  const at = lines.findIndex(
    (line, index) => BLOB_LINE.test(line) && (index < 2 || text.length < 4000),
  );
  const match = at === -1 ? null : BLOB_LINE.exec(lines[at] ?? "");
  if (match === null) return { type: "inline", text: withoutLineCount(text) };
  const [, blobId = "", totals = ""] = match;
  const sections = readSections(lines.slice(at + 1));
  const listed = [sections.get("keys"), sections.get("schema")].filter(
    (part) => part !== undefined,
  );
  return {
    type: "stored",
    blobId,
    kind: /^(\w+)/u.exec(totals)?.[1] ?? "text",
    lineCount: countIn(totals, "lines?"),
    entryCount: countIn(totals, "entr(?:y|ies)"),
    keyCount: countIn(totals, "keys?"),
    byteCount: countIn(totals, "bytes?"),
    totals,
    keys: listed.flatMap(readKeyNames),
    listsAllKeys: !listed.some((part) => part.includes("…")),
    head: sections.get("head") ?? "",
    tail: sections.get("tail") ?? "",
  };
}

/** Drops the line that tells only how many lines the content below it has. */
function withoutLineCount(text: string): string {
  const counted = /^\d+ lines? \| .*…?\n/u.exec(text);
  return counted === null ? text : text.slice(counted[0].length);
}

function readSections(lines: readonly string[]): Map<string, string> {
  const sections = new Map<string, string>();
  let name: string | undefined;
  for (const line of lines) {
    const title = /^── (\w+) ──$/u.exec(line)?.[1];
    if (title !== undefined) name = title;
    else if (name !== undefined) {
      const before = sections.get(name);
      sections.set(name, before === undefined ? line : `${before}\n${line}`);
    }
  }
  return sections;
}

/** Names in `name: string(12), "odd, name": array(3)`. */
function readKeyNames(list: string): string[] {
  const names = list.matchAll(/(?:^|,\s*|\n)(?:"((?:[^"\\]|\\.)*)"|([^\s:,"…][^:,\n]*?)):\s/gu);
  return Array.from(names, (match) => match[2] ?? unquote(match[1] ?? ""));
}

function unquote(escaped: string): string {
  try {
    return String(JSON.parse(`"${escaped}"`));
  } catch {
    return escaped;
  }
}

function countIn(text: string, unit: string): number | undefined {
  const count = new RegExp(String.raw`(\d+) ${unit}\b`, "u").exec(text)?.[1];
  return count === undefined ? undefined : Number(count);
}

/** An answer of `inspect`. */
export type InspectAnswer =
  | {
      readonly type: "part";
      readonly kind: string;
      /** What the header says is shown, such as `lines 20-50 of 1204`. */
      readonly shown: string;
      /** The same as a selector: `lines:20-50`. */
      readonly place: string;
      /** The selector for the part behind this one. */
      readonly next?: string | undefined;
      readonly matchCount?: number | undefined;
      readonly payload: string;
    }
  | { readonly type: "failure"; readonly code: string; readonly message: string };

/** Reads an answer of `inspect`: a header line and the payload, or an error. */
export function readInspectAnswer(text: string, isError: boolean): InspectAnswer {
  const failure = /^inspect error \(([^)]*)\): ?([^\n]*)/u.exec(text);
  if (failure !== null) {
    return { type: "failure", code: failure[1] ?? "", message: failure[2] ?? "" };
  }
  if (isError) return { type: "failure", code: "error", message: text.split("\n", 1)[0] ?? "" };
  const end = text.indexOf("\n");
  const header = end === -1 ? text : text.slice(0, end);
  const [kind = "", ...facts] = header.replace(/^\[blob:[^\]]*\] /u, "").split(" | ");
  const shown = facts.find((fact) => /\d+-\d+ of \d/u.test(fact)) ?? facts[0] ?? "";
  return {
    type: "part",
    kind,
    shown,
    place: shown.replace(/^(?:part of )?(lines|bytes) (\d+-\d+) of \d+$/u, "$1:$2"),
    next: /\| next: (.+)$/u.exec(header)?.[1],
    matchCount: countMatches(header),
    payload: end === -1 ? "" : text.slice(end + 1),
  };
}

/** From `matches 1-20 of 37`, `3 matches` or `no match`. */
function countMatches(header: string): number | undefined {
  if (/\bno match/u.test(header)) return 0;
  const listed = /\bmatch(?:es)? [\d-]+ of (\d+)/u.exec(header)?.[1];
  return listed === undefined ? countIn(header, "match(?:es)?") : Number(listed);
}

/** One match of `find:`, with the place that the answer gives for it. */
export interface FindHit {
  readonly line?: number | undefined;
  readonly entry?: number | undefined;
  readonly byte?: number | undefined;
  readonly context: string;
}

const HIT = /^(.{0,160}?):(?:\s|$)(.*)$/u;
const HIT_PLACE = /\b(?:lines?|entry|element|item|index|bytes?) ?\[?\d/u;

/** The matches in the payload of a `find:`, one per line. */
export function readFindHits(payload: string): FindHit[] {
  return payload.split("\n").flatMap((line) => {
    const [, place = "", context = ""] = HIT.exec(line) ?? [];
    if (!HIT_PLACE.test(place)) return [];
    return [
      {
        line: numberAfter("line", place),
        entry: numberAfter("(?:entry|element|item|index)", place),
        byte: numberAfter("byte", place),
        context,
      },
    ];
  });
}

function numberAfter(word: string, place: string): number | undefined {
  const found = new RegExp(String.raw`\b${word}s? ?\[?(\d+)`, "u").exec(place)?.[1];
  return found === undefined ? undefined : Number(found);
}
