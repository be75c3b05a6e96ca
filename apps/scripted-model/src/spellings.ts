import type { BlobSummary } from "./read-results.js";
import type { Term } from "./terms.js";

const MAX_SPELLINGS = 5;
/** Numbers with fewer digits occur everywhere in JSON: there they are looked for behind a key. */
const TELLING_DIGITS = 4;

/** A term in one of the forms in which it may be written. */
export interface Spelling {
  readonly term: Term;
  readonly text: string;
}

/**
 * What to look for, in order: a term's other spellings come after the next two terms, ordinary words
 * after those of a telling term, and the names of keys, which stand in every record, last.
 */
export function spellings(blob: BlobSummary, terms: readonly Term[]): Spelling[] {
  const hasTelling = terms.some((term) => !isOrdinary(term));
  const all = terms.flatMap((term, termOrder) => {
    const delay = (hasTelling && isOrdinary(term) ? 6 : 0) + (isKey(term, blob) ? 12 : 0);
    const exact = exactForms(blob, term).map((text) => ({ term, text, order: termOrder + delay }));
    const others = otherForms(blob, term).map((text, form) => ({
      term,
      text,
      order: termOrder + delay + 2.5 * (form + 1),
    }));
    return [...exact, ...others];
  });
  return all.toSorted((a, b) => a.order - b.order).slice(0, MAX_SPELLINGS);
}

function isOrdinary({ rank }: Term): boolean {
  return rank === "word" || rank === "phrase";
}

function isKey({ text }: Term, blob: BlobSummary): boolean {
  return blob.keys.some((key) => key.toLowerCase() === text.toLowerCase());
}

function exactForms(blob: BlobSummary, { text }: Term): string[] {
  if (!/^\d+$/u.test(text) || text.length >= TELLING_DIGITS || !blob.kind.startsWith("json")) {
    return [text];
  }
  const key = blob.keys.find((name) => /^id$/iu.test(name)) ?? "id";
  return [`"${key}":${text}`, `"${key}": ${text}`, text];
}

function otherForms(blob: BlobSummary, { text, rank }: Term): string[] {
  const lower = text.toLowerCase();
  const capitalised = lower.charAt(0).toUpperCase() + lower.slice(1);
  const singular = rank === "word" && /.{4}s$/u.test(lower) ? [lower.slice(0, -1)] : [];
  const escaped = blob.kind.startsWith("json") ? [escapeAsJson(text)] : [];
  const forms = new Set([...escaped, lower, ...singular, capitalised, text.toUpperCase()]);
  forms.delete(text);
  return [...forms];
}

/** A text as it stands in JSON whose writer escapes all that is not ASCII. */
function escapeAsJson(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1);
  return escaped.replaceAll(
    /[^\0-\x7f]/g,
    (unit) => String.raw`\u` + unit.charCodeAt(0).toString(16).padStart(4, "0"),
  );
}
