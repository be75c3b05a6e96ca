import {
  inlineRefs,
  isRecord,
  type JsonSchema,
  type JsonValue,
  LlmError,
  plainObjectSchema,
  type ToolDefinition,
} from "llm-worker";
import type { FunctionDeclaration } from "./wire.js";

/** Source: SDK `FunctionDeclaration`; the public API has enforced 64 characters (G8). */
const NAME_PATTERN = /^[A-Za-z_][\w.:-]{0,63}$/;

/**
 * A tool as the server takes it. The schema goes into `parametersJsonSchema`: the older `parameters`
 * knows less than JSON Schema and one keyword too many fails the request (G7).
 *
 * @throws LlmError `invalid_request` for a name or a schema that cannot be said on this wire
 */
export function toDeclaration({
  name,
  description,
  inputSchema,
}: ToolDefinition): FunctionDeclaration {
  if (!NAME_PATTERN.test(name)) {
    throw new LlmError(
      "invalid_request",
      `the tool name ${JSON.stringify(name)} is not one that this API takes: 1 to 64 letters, digits, "_", ".", ":" or "-", beginning with a letter or "_"; rename it`,
    );
  }
  const what = `the input schema of tool ${JSON.stringify(name)}`;
  return {
    name,
    description,
    parametersJsonSchema: plainObjectSchema(toWireSchema(inputSchema, what), what),
  };
}

/**
 * A schema as the server takes it: no `$schema`, references inside the schema written out where they
 * do not repeat themselves, arrays with `items`.
 *
 * @param what names the schema in errors
 * @throws LlmError `invalid_request` for a reference that leads out of the schema
 */
export function toWireSchema(schema: JsonSchema, what: string): JsonSchema {
  const { $schema: _dialect, $id: _id, ...root } = inlineRefs(schema, what, "keep");
  return subschema(root);
}

/** Keywords that hold one schema, a list of them, or schemas by name. */
const ONE = ["items", "additionalProperties"];
const LIST = ["prefixItems", "anyOf", "oneOf", "allOf"];
const BY_NAME = ["properties", "$defs"];

function subschema({ const: only, ...schema }: JsonSchema): JsonSchema {
  const said: Record<string, JsonValue> = { ...schema };
  for (const keyword of ONE) {
    const one = schema[keyword];
    if (isSchema(one)) said[keyword] = subschema(one);
  }
  for (const keyword of LIST) {
    const list = schema[keyword];
    if (Array.isArray(list)) said[keyword] = list.map(subschemaOf);
  }
  for (const keyword of BY_NAME) {
    const named = schema[keyword];
    if (!isSchema(named)) continue;
    const entries = Object.entries(named);
    said[keyword] = Object.fromEntries(entries.map(([name, value]) => [name, subschemaOf(value)]));
  }
  // The server knows `enum`, of strings and numbers, but no `const`.
  if (typeof only === "string" || typeof only === "number") said["enum"] ??= [only];
  else if (only !== undefined) said["const"] = only;
  if (isArrayType(schema["type"]) && !("items" in schema) && !("prefixItems" in schema)) {
    said["items"] = {};
  }
  return said;
}

function subschemaOf(value: JsonValue): JsonValue {
  if (value === true) return {};
  return isSchema(value) ? subschema(value) : value;
}

function isArrayType(type: JsonValue | undefined): boolean {
  return type === "array" || (Array.isArray(type) && type.includes("array"));
}

function isSchema(value: JsonValue | undefined): value is JsonSchema {
  return isRecord(value);
}
