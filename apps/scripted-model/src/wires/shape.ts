import { isObject } from "../json.js";

/** Where in a request something stands: `["messages", 0, "content"]`. */
export type Path = readonly (string | number)[];

/** What a JSON value is expected to be. */
export type JsonType = "string" | "boolean" | "number" | "integer" | "list" | "object";

/** What is wrong with a value. Each wire says it in its provider's words. */
export type Problem =
  | { readonly type: "missing" }
  | { readonly type: "unknown_field" }
  | { readonly type: "wrong_type"; readonly expected: JsonType; readonly value: unknown }
  | { readonly type: "empty_list" }
  | { readonly type: "long_list"; readonly maximum: number; readonly length: number }
  | { readonly type: "too_small"; readonly minimum: number; readonly value: number }
  | { readonly type: "too_large"; readonly maximum: number; readonly value: number }
  | { readonly type: "too_long"; readonly maximum: number; readonly length: number }
  | { readonly type: "no_match"; readonly pattern: RegExp }
  | {
      readonly type: "not_allowed";
      readonly allowed: readonly (string | null)[];
      readonly value: unknown;
      /** Whether the value is the field that tells objects apart. */
      readonly isTag: boolean;
    };

/** A value is not as it should be. */
export class ShapeError extends Error {
  readonly path: Path;
  readonly problem: Problem;
  constructor(path: Path, problem: Problem) {
    super(`${problem.type} at ${JSON.stringify(path)}`);
    this.name = "ShapeError";
    this.path = path;
    this.problem = problem;
  }
}

/** Checks one value. @throws ShapeError if it is not as it should be */
export type Shape = (value: unknown, path: Path) => void;

/** Shapes of an object's fields. */
export type Fields = Readonly<Record<string, Shape>>;

function wrongType(path: Path, expected: JsonType, value: unknown): never {
  throw new ShapeError(path, { type: "wrong_type", expected, value });
}

/** Any string. */
export const string: Shape = (value, path) => {
  if (typeof value !== "string") wrongType(path, "string", value);
};

/** True or false. */
export const boolean: Shape = (value, path) => {
  if (typeof value !== "boolean") wrongType(path, "boolean", value);
};

/** Any number. */
export const number: Shape = (value, path) => {
  if (typeof value !== "number") wrongType(path, "number", value);
};

/** Anything at all, in fields that this server does not read. */
export const anything: Shape = () => {};

/** Any object, whatever its fields. */
export const anyObject: Shape = (value, path) => {
  if (!isObject(value)) wrongType(path, "object", value);
};

/** A whole number within limits. */
export function integer(minimum: number = -Infinity, maximum: number = Infinity): Shape {
  return (value, path) => {
    if (!Number.isInteger(value)) wrongType(path, "integer", value);
    checkRange(Number(value), path, minimum, maximum);
  };
}

/** A number within limits. */
export function numberIn(minimum: number, maximum: number): Shape {
  return (value, path) => {
    number(value, path);
    checkRange(Number(value), path, minimum, maximum);
  };
}

function checkRange(value: number, path: Path, minimum: number, maximum: number): void {
  if (value < minimum) throw new ShapeError(path, { type: "too_small", minimum, value });
  if (value > maximum) throw new ShapeError(path, { type: "too_large", maximum, value });
}

/** A string that is not too long. */
export function textUpTo(maxLength: number): Shape {
  return (value, path) => {
    string(value, path);
    const { length } = String(value);
    if (length > maxLength) {
      throw new ShapeError(path, { type: "too_long", maximum: maxLength, length });
    }
  };
}

/** A string that fits a pattern and is not too long. */
export function text(pattern: RegExp, maxLength: number = Infinity): Shape {
  return (value, path) => {
    textUpTo(maxLength)(value, path);
    if (!pattern.test(String(value))) throw new ShapeError(path, { type: "no_match", pattern });
  };
}

/** One of these values. */
export function oneOf(...allowed: readonly (string | null)[]): Shape {
  return (value, path) => {
    if (allowed.some((candidate) => candidate === value)) return;
    throw new ShapeError(path, { type: "not_allowed", allowed, value, isTag: false });
  };
}

/** The shape, or null. */
export function nullable(shape: Shape): Shape {
  return (value, path) => {
    if (value !== null) shape(value, path);
  };
}

/** The same fields, each of which may be null. */
export function allNullable(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, shape]) => [name, nullable(shape)]));
}

/** A list that is not too long and of which every entry has the shape. */
export function list(item: Shape, maxLength: number = Infinity): Shape {
  return (value, path) => {
    if (!Array.isArray(value)) return wrongType(path, "list", value);
    const { length } = value;
    if (length > maxLength) {
      throw new ShapeError(path, { type: "long_list", maximum: maxLength, length });
    }
    value.forEach((entry, index) => item(entry, [...path, index]));
  };
}

/** The same with at least one entry. */
export function filledList(item: Shape, maxLength: number = Infinity): Shape {
  return (value, path) => {
    list(item, maxLength)(value, path);
    if (Array.isArray(value) && value.length === 0) {
      throw new ShapeError(path, { type: "empty_list" });
    }
  };
}

/** A string, or the shape. */
export function stringOr(shape: Shape): Shape {
  return (value, path) => {
    if (typeof value !== "string") shape(value, path);
  };
}

/** An object with these fields and no others. */
export function object(required: Fields, optional: Fields = {}): Shape {
  return (value, path) => {
    checkFields(value, path, required, optional);
    for (const name of Object.keys(Object(value))) {
      if (Object.hasOwn(required, name) || Object.hasOwn(optional, name)) continue;
      throw new ShapeError([...path, name], { type: "unknown_field" });
    }
  };
}

/** An object with these fields; what else it has is not looked at. */
export function openObject(required: Fields, optional: Fields = {}): Shape {
  return (value, path) => checkFields(value, path, required, optional);
}

function checkFields(value: unknown, path: Path, required: Fields, optional: Fields): void {
  if (!isObject(value)) return wrongType(path, "object", value);
  for (const [name, shape] of Object.entries(required)) {
    if (!Object.hasOwn(value, name)) throw new ShapeError([...path, name], { type: "missing" });
    shape(value[name], [...path, name]);
  }
  for (const [name, shape] of Object.entries(optional)) {
    if (Object.hasOwn(value, name)) shape(value[name], [...path, name]);
  }
}

/** One of several objects, told apart by a field such as `type` or `role`. */
export function tagged(tag: string, shapes: Readonly<Record<string, Shape>>): Shape {
  const allowed = Object.keys(shapes);
  return (value, path) => {
    if (!isObject(value)) return wrongType(path, "object", value);
    const found = value[tag];
    if (found === undefined) throw new ShapeError([...path, tag], { type: "missing" });
    const shape =
      typeof found === "string" && Object.hasOwn(shapes, found) ? shapes[found] : undefined;
    if (shape === undefined) {
      const problem = { type: "not_allowed", allowed, value: found, isTag: true } as const;
      throw new ShapeError([...path, tag], problem);
    }
    shape(value, path);
  };
}
