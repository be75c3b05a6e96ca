import { BodyError } from "../parse-body.js";
import { Refusal } from "../refusal.js";
import type { JsonType, Path, ShapeError } from "../shape.js";
import { bearerKey, type Fault, REFUSED_KEY, type WireRequest } from "../wire.js";

/** What an error names beside its message. */
export interface RefusalFacts {
  readonly type?: string | undefined;
  /** The field that is wrong, such as `messages[0].content`. */
  readonly param?: string | null | undefined;
  readonly code?: string | null | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** An error answer of either OpenAI API. */
export function refusal(status: number, message: string, facts: RefusalFacts = {}): Refusal {
  const { type = "invalid_request_error", param = null, code = null, headers } = facts;
  return new Refusal(status, message, { error: { message, type, param, code } }, headers);
}

/** Refuses a request that is wrong at a place. */
export function refuse(param: string | null, message: string, code: string | null = null): never {
  throw refusal(400, message, { param, code });
}

/** @throws Refusal if the request bears no key, or the one that is refused */
export function checkKey(request: WireRequest): void {
  const key = bearerKey(request);
  if (key === undefined) {
    throw refusal(401, "You didn't provide an API key. Send it in an Authorization header.");
  }
  if (key === REFUSED_KEY) {
    throw refusal(401, "Incorrect API key provided.", { code: "invalid_api_key" });
  }
}

/** Says what is wrong with a body. */
export function refuseBody(error: ShapeError | BodyError): Refusal {
  if (error instanceof BodyError) {
    return refusal(400, `We could not parse the JSON body of your request: ${error.message}.`);
  }
  const param = writePath(error.path);
  return refusal(400, describe(error, param), { param, code: codeOf(error) });
}

/** The answer of a server in trouble. */
export function refuseFault(fault: Fault): Refusal {
  switch (fault.type) {
    case "rate_limit": {
      const seconds = String(fault.retryAfterSeconds);
      return refusal(429, `Rate limit reached. Please try again in ${seconds}s.`, {
        type: "requests",
        code: "rate_limit_exceeded",
        headers: { "retry-after": seconds, "x-ratelimit-remaining-requests": "0" },
      });
    }
    case "overload":
      return refusal(503, "Our servers are currently overloaded. Please try again later.", {
        type: "service_unavailable_error",
        code: "server_is_overloaded",
      });
    case "too_large":
      return refusal(413, "The request is too large.", { code: "request_too_large" });
    case "failure":
      return refusal(500, fault.message, { type: "server_error" });
  }
}

/** `["messages", 0, "content"]` as `messages[0].content`. */
export function writePath(path: Path): string {
  return path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      return index === 0 ? step : `.${step}`;
    })
    .join("");
}

const TYPE_NAMES: Readonly<Record<JsonType, string>> = {
  string: "a string",
  boolean: "a boolean",
  number: "a decimal",
  integer: "an integer",
  list: "an array",
  object: "an object",
};

function codeOf({ problem }: ShapeError): string {
  switch (problem.type) {
    case "missing":
      return "missing_required_parameter";
    case "unknown_field":
      return "unknown_parameter";
    case "wrong_type":
      return "invalid_type";
    case "empty_list":
      return "empty_array";
    case "long_list":
      return "array_above_max_length";
    case "too_small":
      return "integer_below_min_value";
    case "too_large":
      return "integer_above_max_value";
    case "too_long":
      return "string_above_max_length";
    case "no_match":
    case "not_allowed":
      return "invalid_value";
  }
}

function describe({ problem }: ShapeError, param: string): string {
  switch (problem.type) {
    case "missing":
      return `Missing required parameter: '${param}'.`;
    case "unknown_field":
      return `Unknown parameter: '${param}'.`;
    case "wrong_type":
      return `Invalid type for '${param}': expected ${TYPE_NAMES[problem.expected]}, but got ${nameType(problem.value)} instead.`;
    case "empty_list":
      return `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`;
    case "long_list":
      return `Invalid '${param}': array too long. Expected an array with maximum length ${problem.maximum}, but got an array with length ${problem.length} instead.`;
    case "too_small":
      return `Invalid '${param}': integer below minimum value. Expected a value >= ${problem.minimum}, but got ${problem.value} instead.`;
    case "too_large":
      return `Invalid '${param}': integer above maximum value. Expected a value <= ${problem.maximum}, but got ${problem.value} instead.`;
    case "too_long":
      return `Invalid '${param}': string too long. Expected a string with maximum length ${problem.maximum}, but got a string with length ${problem.length} instead.`;
    case "no_match":
      return `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '${problem.pattern.source}'.`;
    case "not_allowed": {
      const allowed = problem.allowed.map((value) => `'${value}'`).join(", ");
      return `Invalid value: '${writeValue(problem.value)}'. Supported values are: ${allowed}.`;
    }
  }
}

function writeValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function nameType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (Number.isInteger(value)) return "an integer";
  if (typeof value === "number") return "a decimal";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
