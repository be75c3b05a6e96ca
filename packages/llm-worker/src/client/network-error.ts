import { errorMessage, isError } from "../errors.js";
import { isLlmError, LlmError } from "./llm-error.js";

/** What went wrong below HTTP, in the common taxonomy. An {@link LlmError} stays what it is. */
export function toLlmError(thrown: unknown): LlmError {
  if (isLlmError(thrown)) return thrown;
  const code = systemCode(thrown);
  if (code === "UND_ERR_CONNECT_TIMEOUT" || code === "ETIMEDOUT") {
    return new LlmError("timeout", "no connection within the time limit (timeouts.connectMs)", {
      cause: thrown,
    });
  }
  if (code === "UND_ERR_INVALID_ARG") {
    return new LlmError("invalid_request", `the request cannot be sent: ${errorMessage(thrown)}`, {
      cause: thrown,
    });
  }
  if (code === undefined) {
    return new LlmError("protocol", `the answer could not be read: ${errorMessage(thrown)}`, {
      cause: thrown,
    });
  }
  return new LlmError("network", `the connection failed (${code}): ${errorMessage(thrown)}`, {
    cause: thrown,
  });
}

/** Node and undici name their failures in `code`; several addresses tried give several of them. */
function systemCode(thrown: unknown): string | undefined {
  if (!isError(thrown)) return undefined;
  if ("code" in thrown && typeof thrown.code === "string") return thrown.code;
  const first: unknown =
    "errors" in thrown && Array.isArray(thrown.errors) ? thrown.errors[0] : thrown.cause;
  return first === undefined ? undefined : systemCode(first);
}
