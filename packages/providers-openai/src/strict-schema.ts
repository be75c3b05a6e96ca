import { isRecord, type JsonSchema, type JsonValue, LlmError } from "llm-worker";

/** Keywords that strict mode refuses, for which there is no other way to say it. */
const REFUSED_KEYWORDS: readonly string[] = [
  "allOf",
  "not",
  "if",
  "then",
  "else",
  "patternProperties",
  "propertyNames",
  "unevaluatedProperties",
  "dependentSchemas",
  "dependentRequired",
  "prefixItems",
];
/** Keywords without effect on what is accepted, which strict mode refuses. */
const DROPPED_KEYWORDS: ReadonlySet<string> = new Set(["$schema", "$id", "default"]);

/** Keywords that hold one schema, a list of them, or schemas by name. */
const SINGLE: ReadonlySet<string> = new Set(["items"]);
const LISTS: ReadonlySet<string> = new Set(["anyOf"]);
const MAPS: ReadonlySet<string> = new Set(["properties", "$defs", "definitions"]);

/**
 * A schema as strict mode takes it: every object closed, `oneOf` said as `anyOf`.
 * Source: docs "Structured Outputs".
 *
 * @param what names the schema in errors, such as `the input schema of tool "x"`
 * @throws LlmError `invalid_request` where strict mode cannot say it: an optional property, an open
 *   object, a keyword that it does not have
 */
export function strictSchema(schema: JsonSchema, what: string): JsonSchema {
  return closed(schema, (problem, path) => {
    const place = path === "" ? "its root" : path;
    return new LlmError("invalid_request", `${what} cannot be strict: at ${place}, ${problem}`);
  });
}

type Refuse = (problem: string, path: string) => LlmError;

function closed(schema: JsonSchema, refuse: Refuse, path = ""): JsonSchema {
  const refused = REFUSED_KEYWORDS.find((keyword) => keyword in schema);
  if (refused !== undefined) throw refuse(`it has ${refused}, which strict mode lacks`, path);
  const result: Record<string, JsonValue> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (DROPPED_KEYWORDS.has(keyword)) continue;
    const name = keyword === "oneOf" ? "anyOf" : keyword;
    result[name] = closedValue(name, value, refuse, `${path}/${keyword}`);
  }
  return schema["type"] === "object" || isRecord(schema["properties"])
    ? closedObject(result, refuse, path)
    : result;
}

function closedValue(keyword: string, value: JsonValue, refuse: Refuse, path: string): JsonValue {
  const one = (inner: JsonValue, at: string): JsonValue =>
    isSchema(inner) ? closed(inner, refuse, at) : inner;
  if (SINGLE.has(keyword)) return one(value, path);
  if (LISTS.has(keyword) && Array.isArray(value)) {
    // Array.isArray forgets the type of the elements of a readonly list.
    return (value as readonly JsonValue[]).map((inner, i) => one(inner, `${path}/${i}`));
  }
  if (MAPS.has(keyword) && isSchema(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, one(inner, `${path}/${name}`)]),
    );
  }
  return value;
}

function closedObject(schema: JsonSchema, refuse: Refuse, path: string): JsonSchema {
  const { properties = {}, required = [], additionalProperties = false } = schema;
  if (additionalProperties !== false) {
    throw refuse("objects may not have further properties (additionalProperties)", path);
  }
  const names = isSchema(properties) ? Object.keys(properties) : [];
  const optional = names.find((name) => !Array.isArray(required) || !required.includes(name));
  if (optional !== undefined) {
    throw refuse(
      `property ${JSON.stringify(optional)} is optional; make it required and let it be null, or do not ask for strictness`,
      path,
    );
  }
  return { ...schema, properties, required: names, additionalProperties: false };
}

function isSchema(value: JsonValue | undefined): value is JsonSchema {
  return isRecord(value);
}
