/** A text with its lone surrogates, which UTF-8 cannot say, as JSON writes them. */
export function escapeText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Undoes {@link escapeText}. */
export function unescapeText(text: string): string {
  return text.includes("\\") ? (JSON.parse(`"${text}"`) as string) : text;
}
