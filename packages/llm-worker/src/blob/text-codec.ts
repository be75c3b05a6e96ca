/** Nothing of it has to be escaped. To see that takes a fraction of the time of `JSON.stringify`. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** A text with its lone surrogates, which UTF-8 cannot say, as JSON writes them. */
export function escapeText(text: string): string {
  if (PLAIN.test(text)) return text;
  return JSON.stringify(text).slice(1, -1);
}

/** Undoes {@link escapeText}. */
export function unescapeText(text: string): string {
  return text.includes("\\") ? (JSON.parse(`"${text}"`) as string) : text;
}
