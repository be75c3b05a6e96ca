import {
  anything,
  boolean,
  integer,
  list,
  number,
  object,
  type Path,
  type Shape,
  ShapeError,
  string,
  stringOr,
} from "../shape.js";

const TYPES = ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"];

/** A type in upper or lower case. */
const schemaType: Shape = (value, path) => {
  string(value, path);
  if (TYPES.includes(String(value).toUpperCase())) return;
  throw new ShapeError(path, { type: "not_allowed", allowed: TYPES, value, isTag: false });
};

const count = stringOr(integer(0));

/**
 * The part of OpenAPI's schemas that `parameters` takes. All else, such as `additionalProperties` or
 * `$ref`, is no field there.
 */
export function apiSchema(value: unknown, path: Path): void {
  object(
    {},
    {
      type: schemaType,
      format: string,
      title: string,
      description: string,
      nullable: boolean,
      enum: list(string),
      items: apiSchema,
      properties: mapOf(apiSchema),
      required: list(string),
      propertyOrdering: list(string),
      anyOf: list(apiSchema),
      minItems: count,
      maxItems: count,
      minProperties: count,
      maxProperties: count,
      minLength: count,
      maxLength: count,
      minimum: number,
      maximum: number,
      pattern: string,
      example: anything,
      default: anything,
    },
  )(value, path);
  const { type, items } = value as { readonly type?: string; readonly items?: unknown };
  if (type?.toUpperCase() === "ARRAY" && items === undefined) {
    throw new ShapeError([...path, "items"], { type: "missing" });
  }
}

function mapOf(shape: Shape): Shape {
  return (value, path) => {
    const names = Object.keys(Object(value));
    object({}, Object.fromEntries(names.map((name) => [name, shape])))(value, path);
  };
}
