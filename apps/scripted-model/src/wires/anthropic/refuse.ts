import { BodyError } from "../parse-body.js";
import { Refusal } from "../refusal.js";
import type { JsonType, Path, ShapeError } from "../shape.js";
import type { Fault } from "../wire.js";

/** Types of error of the Messages API that this server answers with, and their HTTP status. */
const STATUS = {
  invalid_request_error: 400,
  authentication_error: 401,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  overloaded_error: 529,
} as const;

/** An error answer; the request id that belongs into it is added when it is sent. */
export function refusal(
  type: keyof typeof STATUS,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Refusal {
  return new Refusal(STATUS[type], message, { type: "error", error: { type, message } }, headers);
}

/** Refuses a request whose body is wrong at a place such as `messages.0.content`. */
export function refuse(place: string, problem: string): never {
  throw refusal("invalid_request_error", `${place}: ${problem}`);
}

/** Says what is wrong with a body. */
export function refuseBody(error: ShapeError | BodyError): Refusal {
  const message =
    error instanceof BodyError
      ? `The request body is not valid JSON: ${error.message}`
      : `${placeOf(error)}: ${describe(error)}`;
  return refusal("invalid_request_error", message);
}

/** The answer of a server in trouble. */
export function refuseFault(fault: Fault): Refusal {
  switch (fault.type) {
    case "rate_limit":
      return refusal("rate_limit_error", "This request would exceed your rate limit.", {
        "retry-after": String(fault.retryAfterSeconds),
      });
    case "overload":
      return refusal("overloaded_error", "Overloaded");
    case "too_large":
      return refusal("request_too_large", "Request exceeds the maximum size");
    case "failure":
      return refusal("api_error", fault.message);
  }
}

function placeOf({ path, problem }: ShapeError): string {
  const isTag = problem.type === "not_allowed" && problem.isTag;
  const place: Path = isTag ? path.slice(0, -1) : path;
  return place.length === 0 ? "body" : place.join(".");
}

const TYPE_NAMES: Readonly<Record<JsonType, string>> = {
  string: "string",
  boolean: "boolean",
  number: "number",
  integer: "integer",
  list: "list",
  object: "dictionary",
};

function describe({ problem }: ShapeError): string {
  switch (problem.type) {
    case "missing":
      return "Field required";
    case "unknown_field":
      return "Extra inputs are not permitted";
    case "wrong_type":
      return `Input should be a valid ${TYPE_NAMES[problem.expected]}`;
    case "empty_list":
      return "List should have at least 1 item";
    case "long_list":
      return `List should have at most ${problem.maximum} items`;
    case "too_small":
      return `Input should be greater than or equal to ${problem.minimum}`;
    case "too_large":
      return `Input should be less than or equal to ${problem.maximum}`;
    case "too_long":
      return `String should have at most ${problem.maximum} characters`;
    case "no_match":
      return `String should match pattern '${problem.pattern.source}'`;
    case "not_allowed": {
      const allowed = problem.allowed.map((value) => `'${value}'`);
      if (!problem.isTag) return `Input should be ${allowed.join(" or ")}`;
      return (
        `Input tag '${JSON.stringify(problem.value)}' found using 'type' does not match any of ` +
        `the expected tags: ${allowed.join(", ")}`
      );
    }
  }
}
