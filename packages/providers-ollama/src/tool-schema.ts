import {
  inlineRefs,
  isRecord,
  type JsonSchema,
  type JsonValue,
  plainObjectSchema,
} from "llm-worker";

/**
 * A tool's input schema as the server reads it. It keeps `type`, `description`, `enum`, `items`,
 * `properties`, `required` and `anyOf` for the model, drops any other keyword unseen, and refuses
 * the whole request for a boolean schema. So references are inlined, `const`, `oneOf` and `allOf`
 * are said with what it keeps, and booleans are said as objects.
 *
 * Source: server types `ToolFunctionParameters`, `ToolProperty`.
 *
 * @throws LlmError `invalid_request` for a schema whose root is not a plain object schema
 */
export function toParameters(toolName: string, schema: JsonSchema): JsonSchema {
  const what = `the input schema of tool ${JSON.stringify(toolName)}`;
  const { $schema: _dialect, $id: _id, ...root } = inlineRefs(schema, what);
  const { properties = {}, ...rest } = plainObjectSchema(mergeAllOf(root), what);
  return keywords({ ...rest, properties });
}

/** A schema below the root. */
function subschema(schema: JsonValue): JsonSchema {
  return isSchema(schema) ? keywords(mergeAllOf(schema)) : {};
}

function keywords({ const: only, oneOf, ...schema }: JsonSchema): JsonSchema {
  const said: Record<string, JsonValue> = { ...schema };
  const { properties, items, required, description } = schema;
  if (isSchema(properties)) said["properties"] = possibleProperties(properties);
  else delete said["properties"];
  if (isSchema(items)) said["items"] = subschema(items);
  else delete said["items"];
  if (!Array.isArray(required)) delete said["required"];
  if (typeof description !== "string") delete said["description"];
  if (only !== undefined && schema["enum"] === undefined) said["enum"] = [only];
  const alternatives = schema["anyOf"] ?? oneOf;
  if (Array.isArray(alternatives)) {
    said["anyOf"] = alternatives.filter((one: JsonValue) => one !== false).map(subschema);
  }
  return said;
}

/** A property that may be anything stays; one that may be nothing (`false`) is none. */
function possibleProperties(properties: JsonSchema): JsonSchema {
  const possible = Object.entries(properties).filter(([, schema]) => schema !== false);
  return Object.fromEntries(possible.map(([name, schema]) => [name, subschema(schema)]));
}

/** All parts as one: lists of names and fields are joined, any other keyword is the first part's. */
function mergeAllOf({ allOf, ...schema }: JsonSchema): JsonSchema {
  if (!Array.isArray(allOf)) return schema;
  const merged: Record<string, JsonValue> = { ...schema };
  for (const part of allOf.filter(isSchema).map(mergeAllOf)) {
    for (const [keyword, value] of Object.entries(part)) {
      merged[keyword] = joined(keyword, merged[keyword], value);
    }
  }
  return merged;
}

function joined(keyword: string, before: JsonValue | undefined, after: JsonValue): JsonValue {
  if (before === undefined) return after;
  if (keyword === "properties" && isSchema(before) && isSchema(after)) {
    return { ...after, ...before };
  }
  if (keyword === "required" && Array.isArray(before) && Array.isArray(after)) {
    return [...new Set([...before, ...after])];
  }
  return before;
}

function isSchema(value: JsonValue | undefined): value is JsonSchema {
  return isRecord(value);
}
