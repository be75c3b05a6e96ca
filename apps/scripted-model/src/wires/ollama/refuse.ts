import { BodyError } from "../parse-body.js";
import { Refusal } from "../refusal.js";
import type { JsonType, ShapeError } from "../shape.js";
import type { Fault } from "../wire.js";

/** An error answer: its text is all there is. */
export function refusal(
  status: number,
  error: string,
  headers: Readonly<Record<string, string>> = {},
): Refusal {
  return new Refusal(status, error, { error }, headers);
}

/** Says what is wrong with a body, as the server's JSON decoder does. */
export function refuseBody(error: ShapeError | BodyError): Refusal {
  return refusal(
    400,
    error instanceof BodyError ? `invalid JSON: ${error.message}` : describe(error),
  );
}

/** The answer of a server in trouble. */
export function refuseFault(fault: Fault): Refusal {
  switch (fault.type) {
    case "rate_limit":
      return refusal(429, "too many requests", { "retry-after": String(fault.retryAfterSeconds) });
    case "overload":
      return refusal(503, "server busy, please try again.  maximum pending requests exceeded");
    case "too_large":
      return refusal(413, "request body too large");
    case "failure":
      return refusal(500, fault.message);
  }
}

const TYPE_NAMES: Readonly<Record<JsonType, string>> = {
  string: "string",
  boolean: "bool",
  number: "float64",
  integer: "int",
  list: "[]interface {}",
  object: "map[string]interface {}",
};

function describe({ path, problem }: ShapeError): string {
  const field = path.filter((step) => typeof step === "string").join(".");
  switch (problem.type) {
    case "missing":
      return `${field} is required`;
    case "wrong_type":
      return `json: cannot unmarshal ${nameKind(problem.value)} into Go struct field ChatRequest.${field} of type ${TYPE_NAMES[problem.expected]}`;
    case "not_allowed":
      return field === "think"
        ? `invalid think value: ${JSON.stringify(problem.value)} (must be "high", "medium", "low", "max", true, or false)`
        : `invalid ${field}: ${JSON.stringify(problem.value)}`;
    case "no_match":
      return `${field} is required`;
    default:
      return `invalid ${field}`;
  }
}

function nameKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}
