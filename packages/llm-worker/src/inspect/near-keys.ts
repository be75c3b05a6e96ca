/** Longer names are compared by their beginning. */
const COMPARED_LENGTH = 64;

/**
 * Names that someone who asked for `wanted` may have meant, the likeliest first: the same but for
 * case and punctuation, one within the other, or a few letters apart.
 */
export function nearKeys(
  wanted: string,
  keys: readonly string[],
  limit: number,
): readonly string[] {
  const target = plain(wanted);
  return keys
    .map((key) => ({ key, distance: distanceOf(target, plain(key)) }))
    .filter(({ distance }) => distance < Infinity)
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, limit)
    .map(({ key }) => key);
}

function plain(name: string): string {
  const letters = name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
  return (letters === "" ? name : letters).slice(0, COMPARED_LENGTH);
}

function distanceOf(a: string, b: string): number {
  if (a === b) return 0;
  const allowed = Math.max(1, Math.floor(Math.min(a.length, b.length) / 3));
  const isWithin = Math.min(a.length, b.length) >= 2 && (a.includes(b) || b.includes(a));
  if (Math.abs(a.length - b.length) <= allowed) {
    const distance = editDistance(a, b);
    if (distance <= allowed) return distance;
  }
  return isWithin ? COMPARED_LENGTH : Infinity;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
