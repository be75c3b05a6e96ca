import type { JsonValue } from "../blob/content.js";
import type { JsonSchema } from "../model/request.js";

/** Keywords that hold schemas by name: the names are not keywords. */
const SCHEMA_MAPS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
]);
/** Keywords that hold a schema or a list of them. What zod cannot read at all is left as it is. */
const SCHEMAS: ReadonlySet<string> = new Set([
  "items",
  "prefixItems",
  "additionalItems",
  "additionalProperties",
  "contains",
  "propertyNames",
  "allOf",
  "anyOf",
]);
/** Formats that zod takes for narrower ones. */
const NARROWED_FORMATS: ReadonlySet<unknown> = new Set(["uri-reference", "uuid", "guid"]);
/** What a pattern can only say with the flag `u`, which zod does not set. */
const UNICODE_PATTERN = /\\[pPu]\{/;

/**
 * The schema without what zod's reader would refuse valid arguments for. It then lets a few through
 * that are not valid, which the tool has to expect anyway:
 *
 * - Of `oneOf` it is enough that one branch fits. A branch without `type` fits all that there is, as
 *   in `oneOf: [{ required: ["path"] }, { required: ["url"] }]`, so all would fit at once.
 * - `const` and `enum` with arrays or objects in them are left out: they are compared by identity.
 * - Patterns that need the flag `u`, and formats that are read as narrower ones, are left out.
 */
export function readableSchema(schema: JsonSchema): JsonSchema {
  const readable: Record<string, JsonValue> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (SCHEMA_MAPS.has(keyword)) readable[keyword] = mapOf(value);
    else if (SCHEMAS.has(keyword)) readable[keyword] = subschema(value);
    else if (keyword === "oneOf") readable["anyOf"] ??= subschema(value);
    else if (isReadAsMeant(keyword, value)) readable[keyword] = value;
  }
  if (hasUnicodeNames(schema["patternProperties"])) {
    delete readable["patternProperties"];
    delete readable["additionalProperties"];
  }
  return readable;
}

function isReadAsMeant(keyword: string, value: JsonValue): boolean {
  switch (keyword) {
    case "const":
      return !isStructured(value);
    case "enum":
      return !(Array.isArray(value) && value.some(isStructured));
    case "format":
      return !NARROWED_FORMATS.has(value);
    case "maxContains":
      // Of what is counted, more may fit now.
      return false;
    case "pattern":
      return typeof value !== "string" || !UNICODE_PATTERN.test(value);
    default:
      return true;
  }
}

function subschema(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(subschema);
  return isObject(value) ? readableSchema(value) : value;
}

function mapOf(value: JsonValue): JsonValue {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, subschema(held)]));
}

function hasUnicodeNames(value: JsonValue | undefined): boolean {
  return isObject(value) && Object.keys(value).some((name) => UNICODE_PATTERN.test(name));
}

function isStructured(value: JsonValue): boolean {
  return typeof value === "object" && value !== null;
}

function isObject(value: JsonValue | undefined): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
