/** @throws RangeError if the value of the option is not an integer within bounds */
export function checkedInteger(
  name: string,
  value: number,
  min: number,
  max: number = Number.MAX_SAFE_INTEGER,
): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new RangeError(`${name} is ${value}; it has to be an integer from ${min} to ${max}`);
}
