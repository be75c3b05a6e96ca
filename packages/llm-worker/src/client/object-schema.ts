import type { JsonSchema } from "../model/request.js";
import { LlmError } from "./llm-error.js";

/** Keywords that make a schema something else than one plain object. */
const COMPOSING_KEYWORDS: readonly string[] = ["$ref", "anyOf", "oneOf", "allOf"];

/**
 * The same schema with `type: "object"` said at its root, for wires that take nothing else there.
 *
 * @param what names the schema in the error, such as `the input schema of tool "x"`
 * @throws LlmError `invalid_request` if the root is no plain object schema
 */
export function plainObjectSchema(schema: JsonSchema, what: string): JsonSchema {
  const { type = "object", ...rest } = schema;
  const composed = COMPOSING_KEYWORDS.find((keyword) => keyword in schema);
  if (type === "object" && composed === undefined) return { type, ...rest };
  const found = composed ?? `type ${JSON.stringify(type)}`;
  throw new LlmError(
    "invalid_request",
    `${what} has ${found} at its root, where this API takes a plain object schema; put it into a property`,
  );
}
