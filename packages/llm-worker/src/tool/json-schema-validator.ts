import type { JsonSchema } from "../model/request.js";
import { readableSchema } from "./readable-schema.js";
import type { StandardSchema } from "./standard-schema.js";
import { validateWith, type Validation } from "./validation.js";

/**
 * Validates by plain JSON Schema with zod's reader, loaded at the first call. What {@link readableSchema}
 * leaves out is not enforced. Nor is a schema that zod cannot read: the value has only to be an object,
 * and the tool sees what came.
 */
export function jsonSchemaValidator(schema: JsonSchema): (value: unknown) => Promise<Validation> {
  let reading: Promise<StandardSchema> | undefined;
  return async (value) => {
    reading ??= readSchema(schema);
    return validateWith(await reading, value);
  };
}

async function readSchema(schema: JsonSchema): Promise<StandardSchema> {
  const z = await import("zod");
  try {
    // zod declares the schema's type by its own names for the same JSON.
    return z.fromJSONSchema(readableSchema(schema) as Parameters<typeof z.fromJSONSchema>[0]);
  } catch {
    return z.looseObject({});
  }
}
