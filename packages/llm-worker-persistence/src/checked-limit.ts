/**
 * A limit that decides what is deleted. With `NaN`, as of a variable that is not set, no comparison
 * holds, and more would be deleted than by any number.
 *
 * @throws RangeError if it is no number
 */
export function checkedLimit(name: string, value: number): number {
  if (!Number.isNaN(value)) return value;
  throw new RangeError(`${name} is NaN; it has to be a number`);
}
