import { isObject } from "../json.js";

/**
 * A body without its fields that are null, for wires on which null and absent are the same.
 *
 * @param freeFields fields with data of the user's own, in which null is a value
 */
export function withoutNulls(value: unknown, freeFields: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((entry) => withoutNulls(entry, freeFields));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => part !== null)
      .map(([name, part]) => [name, freeFields.has(name) ? part : withoutNulls(part, freeFields)]),
  );
}
