/**
 * A list that is looked into, not gone through: an entry may be read from an encoded index each time
 * it is asked for. Arrays are such lists.
 */
export interface Lookup<T> {
  readonly length: number;
  /** The entry at a position from 0 on; `undefined` past the last. */
  at(position: number): T | undefined;
}

/** Entries `[from, to)` of a list, changed as they are asked for. */
export function mapLookup<T, R>(
  list: Lookup<T>,
  change: (entry: T) => R,
  from = 0,
  to: number = list.length,
): Lookup<R> {
  return {
    length: to - from,
    at(position) {
      const entry = position < to - from ? list.at(from + position) : undefined;
      return entry === undefined ? undefined : change(entry);
    },
  };
}

/** All entries, in order. */
export function* entriesOf<T>(list: Lookup<T>): Generator<T, void, undefined> {
  for (let position = 0; position < list.length; position++) {
    yield list.at(position) as T; // below the length
  }
}

/** Position of the last of increasing values that is not above `wanted`; -1 if none is. */
export function lastAtOrBefore(wanted: number, values: Lookup<number>): number {
  let low = -1;
  let high = values.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((values.at(middle) ?? Infinity) <= wanted) low = middle;
    else high = middle - 1;
  }
  return low;
}
