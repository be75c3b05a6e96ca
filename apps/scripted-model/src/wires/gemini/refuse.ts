import { BodyError } from "../parse-body.js";
import { Refusal } from "../refusal.js";
import type { JsonType, Path, ShapeError } from "../shape.js";
import type { Fault } from "../wire.js";

/** Status words of the API that this server answers with, and their HTTP status. */
const STATUS = {
  INVALID_ARGUMENT: 400,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  RESOURCE_EXHAUSTED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const;

const DETAIL = "type.googleapis.com/google.rpc.";

/** An error answer. `details` are messages of `google.rpc`, named by their type. */
export function refusal(
  status: keyof typeof STATUS,
  message: string,
  details: readonly Readonly<Record<string, unknown>>[] = [],
): Refusal {
  const code = STATUS[status];
  const error = { code, message, status, ...(details.length > 0 ? { details } : {}) };
  return new Refusal(code, message, { error });
}

/** A detail of an error. */
export function detail(
  type: string,
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return { "@type": DETAIL + type, ...fields };
}

/** Refuses a request whose body is wrong. */
export function refuse(message: string): never {
  throw refusal("INVALID_ARGUMENT", message);
}

/** The same for a field, such as `contents[0].parts`. */
export function refuseField(field: string, problem: string): never {
  return refuse(`* GenerateContentRequest.${field}: ${problem}`);
}

/** Says what is wrong with a body. */
export function refuseBody(error: ShapeError | BodyError): Refusal {
  if (error instanceof BodyError) {
    return refusal("INVALID_ARGUMENT", `Invalid JSON payload received. ${error.message}`);
  }
  const field = writePath(error.path);
  const description = describe(error, field);
  return refusal("INVALID_ARGUMENT", description, [
    detail("BadRequest", { fieldViolations: [{ field, description }] }),
  ]);
}

/** The answer of a server in trouble. The delay stands in the body; there is no `retry-after`. */
export function refuseFault(fault: Fault): Refusal {
  switch (fault.type) {
    case "rate_limit": {
      const retryDelay = `${fault.retryAfterSeconds}s`;
      const quotaId = "GenerateRequestsPerMinutePerProjectPerModel";
      return refusal(
        "RESOURCE_EXHAUSTED",
        `You exceeded your current quota. Please retry in ${retryDelay}.`,
        [
          detail("QuotaFailure", { violations: [{ quotaId }] }),
          detail("RetryInfo", { retryDelay }),
        ],
      );
    }
    case "overload":
      return refusal("UNAVAILABLE", "The model is overloaded. Please try again later.");
    case "too_large":
      return refusal("INVALID_ARGUMENT", "Request payload size exceeds the limit.");
    case "failure":
      return refusal("INTERNAL", fault.message);
  }
}

/** `["contents", 0, "parts"]` as `contents[0].parts`. */
export function writePath(path: Path): string {
  return path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      return index === 0 ? step : `.${step}`;
    })
    .join("");
}

const TYPE_NAMES: Readonly<Record<JsonType, string>> = {
  string: "TYPE_STRING",
  boolean: "TYPE_BOOL",
  number: "TYPE_FLOAT",
  integer: "TYPE_INT32",
  list: "TYPE_MESSAGE",
  object: "TYPE_MESSAGE",
};

function describe({ path, problem }: ShapeError, field: string): string {
  switch (problem.type) {
    case "missing":
      return `* GenerateContentRequest.${field}: required field is missing`;
    case "unknown_field": {
      const parent = writePath(path.slice(0, -1));
      const place = parent === "" ? "" : ` at '${parent}'`;
      const payload = "Invalid JSON payload received.";
      return `${payload} Unknown name "${path.at(-1)}"${place}: Cannot find field.`;
    }
    case "wrong_type":
      return `Invalid value at '${field}' (${TYPE_NAMES[problem.expected]}), ${JSON.stringify(problem.value)}`;
    case "empty_list":
      return `* GenerateContentRequest.${field}: ${path.at(-1)} must not be empty.`;
    case "long_list":
      return `* GenerateContentRequest.${field}: at most ${problem.maximum} are allowed, got ${problem.length}`;
    case "too_small":
    case "too_large": {
      const limit =
        problem.type === "too_small" ? `at least ${problem.minimum}` : `at most ${problem.maximum}`;
      return `* GenerateContentRequest.${field}: is ${problem.value}, must be ${limit}`;
    }
    case "too_long":
      return `* GenerateContentRequest.${field}: must have at most ${problem.maximum} characters`;
    case "no_match":
      return `* GenerateContentRequest.${field}: must match ${problem.pattern.source}`;
    case "not_allowed":
      return path.at(-1) === "role"
        ? "Please use a valid role: user, model."
        : `Invalid value at '${field}' (TYPE_ENUM), ${JSON.stringify(problem.value)}`;
  }
}
