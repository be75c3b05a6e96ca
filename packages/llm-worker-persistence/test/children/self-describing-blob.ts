import { createHash } from "node:crypto";

/** A text that says itself how it must end, so that a torn one is found out. */
export function selfDescribingText(seed: string, lineCount: number): string {
  const body = `${seed} ✓\n`.repeat(lineCount);
  return `${hashOf(body)}\n${body}`;
}

/** Whether a text is a whole self-describing one. */
export function isWhole(text: string): boolean {
  const lineEnd = text.indexOf("\n");
  return text.slice(0, lineEnd) === hashOf(text.slice(lineEnd + 1));
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
