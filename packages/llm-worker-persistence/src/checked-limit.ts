/**
 * A limit that is a number. With `NaN`, as of a variable that is not set, no comparison holds: what it is
 * to limit would have no end, or all would be deleted.
 *
 * @throws RangeError if it is `NaN`
 */
export function checkedLimit(name: string, value: number): number {
  if (!Number.isNaN(value)) return value;
  throw new RangeError(`${name} is NaN; it has to be a number`);
}
