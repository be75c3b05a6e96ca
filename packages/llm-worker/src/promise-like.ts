/** Whether a value has to be waited for. */
export function isPromiseLike<Value>(value: Value): value is Value & PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value;
}
