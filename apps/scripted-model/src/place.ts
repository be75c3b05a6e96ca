/** A place in a file or list that a question names. `count` is how many lines or entries. */
export type Place = (
  | { readonly type: "lines"; readonly first: number; readonly last: number }
  | { readonly type: "start"; readonly count: number }
  | { readonly type: "end"; readonly count: number }
  | { readonly type: "nth"; readonly position: number }
) & {
  /** The words of the question that name it. */
  readonly source: string;
};

const LINE = String.raw`(?:lines?|zeilen?|lignes?|l[ií]neas?|linhas?|rig(?:a|he)|regels?|строк\p{L}*)`;
const UNIT = String.raw`(?:${LINE}|entr(?:y|ies)|elements?|items?|records?|rows?|eintr(?:ag|äge)|entr[ée]es?|entradas?)`;
const TO = String.raw`\s*(?:-|–|to|bis|through|à|a|al|до|por)\s*`;

const LINES = new RegExp(String.raw`(?<![\p{L}])${LINE}\s+(\d+)(?:${TO}(\d+))?`, "iu");
const LINES_CJK = /第?\s*(\d+)\s*(?:[-~〜到至]\s*第?\s*(\d+)\s*)?行/u;
const START = new RegExp(
  String.raw`(?<!\p{L})(?:first|erste[nrs]?|premi[eè]re?s?|primer[ao]?s?)\s+(?:(\d+)\s+)?${UNIT}`,
  "iu",
);
const END = new RegExp(
  String.raw`(?<!\p{L})(?:last|letzte[nrs]?|derni[eè]re?s?|[uú]ltim[ao]s?)\s+(?:(\d+)\s+)?${UNIT}`,
  "iu",
);
const NTH = new RegExp(String.raw`(?<![\p{L}\d])(\d+)(?:st|nd|rd|th|\.|e|ème|º|ª)\s+${UNIT}`, "iu");

/** The first place that a question names, if any. */
export function findPlace(text: string): Place | undefined {
  const lines = LINES.exec(text) ?? LINES_CJK.exec(text);
  if (lines !== null) {
    const first = Math.max(1, Number(lines[1]));
    return {
      type: "lines",
      first,
      last: Math.max(first, Number(lines[2] ?? first)),
      source: lines[0],
    };
  }
  const nth = NTH.exec(text);
  if (nth !== null) return { type: "nth", position: Math.max(1, Number(nth[1])), source: nth[0] };
  const start = START.exec(text);
  if (start !== null) return { type: "start", count: countOf(start), source: start[0] };
  const end = END.exec(text);
  if (end !== null) return { type: "end", count: countOf(end), source: end[0] };
  return undefined;
}

function countOf(match: RegExpExecArray): number {
  return Math.max(1, Number(match[1] ?? 1));
}
