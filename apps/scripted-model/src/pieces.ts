import type { Random } from "./random.js";

const BACKSLASH = 0x5c;

/**
 * Cuts bytes into small irregular pieces, as a network might at its worst: often inside a
 * multi-byte character or behind the backslash of an escape, now and then several events in one.
 */
export function* cutBytes(bytes: Uint8Array, random: Random): Generator<Uint8Array> {
  let start = 0;
  while (start < bytes.length) {
    const furthest = start + drawSize(random, 48, 600);
    const fragile = random() < 0.6 ? findFragileByte(bytes, start + 1, furthest) : undefined;
    const end = fragile ?? furthest;
    yield bytes.subarray(start, end);
    start = end;
  }
}

/** The first place in a range where a cut would divide a character or an escape. */
function findFragileByte(bytes: Uint8Array, from: number, to: number): number | undefined {
  for (let at = from; at < Math.min(to, bytes.length); at++) {
    const isContinuation = ((bytes[at] ?? 0) & 0xc0) === 0x80;
    if (isContinuation || bytes[at - 1] === BACKSLASH) return at;
  }
  return undefined;
}

/**
 * Cuts text into the deltas of a stream: never inside a character, often behind a backslash, so
 * that the arguments of a call are cut inside their escapes.
 */
export function cutText(text: string, random: Random): string[] {
  const characters = Array.from(text);
  const deltas: string[] = [];
  let start = 0;
  while (start < characters.length) {
    const furthest = start + drawSize(random, 12, 40);
    const escape = characters.slice(start, furthest).indexOf("\\");
    const end = escape !== -1 && random() < 0.7 ? start + escape + 1 : furthest;
    deltas.push(characters.slice(start, end).join(""));
    start = end;
  }
  return deltas;
}

/** Mostly up to `usual`, one time in twelve up to `rare`; at least 1. */
function drawSize(random: Random, usual: number, rare: number): number {
  const limit = random() < 1 / 12 ? rare : usual;
  return 1 + Math.floor(random() * limit);
}
