import { isObject } from "../../json.js";
import { refuse } from "./refusal.js";

/** Checks one value; refuses the request, naming the place, if the value is not as it should be. */
export type Shape = (value: unknown, place: string) => void;

/** Any string. */
export const string: Shape = (value, place) => {
  if (typeof value !== "string") refuse(place, "Input should be a valid string");
};

/** True or false. */
export const boolean: Shape = (value, place) => {
  if (typeof value !== "boolean") refuse(place, "Input should be a valid boolean");
};

/** Any number. */
export const number: Shape = (value, place) => {
  if (typeof value !== "number") refuse(place, "Input should be a valid number");
};

/** Anything at all, in fields that this server does not read. */
export const anything: Shape = () => {};

/** Any object, whatever its fields. */
export const anyObject: Shape = (value, place) => {
  if (!isObject(value)) refuse(place, "Input should be a valid dictionary");
};

/** A whole number that is at least `minimum`. */
export function integer(minimum: number): Shape {
  return (value, place) => {
    if (!Number.isInteger(value)) refuse(place, "Input should be a valid integer");
    if (Number(value) < minimum) {
      refuse(place, `Input should be greater than or equal to ${minimum}`);
    }
  };
}

/** A string that fits a pattern. */
export function text(pattern: RegExp): Shape {
  return (value, place) => {
    string(value, place);
    if (!pattern.test(String(value)))
      refuse(place, `String should match pattern '${pattern.source}'`);
  };
}

/** One of these values. */
export function oneOf(...values: readonly (string | null)[]): Shape {
  return (value, place) => {
    if (values.some((allowed) => allowed === value)) return;
    refuse(place, `Input should be ${values.map((allowed) => `'${allowed}'`).join(" or ")}`);
  };
}

/** The shape, or null. */
export function nullable(shape: Shape): Shape {
  return (value, place) => {
    if (value !== null) shape(value, place);
  };
}

/** A list of which every entry has the shape. */
export function list(item: Shape): Shape {
  return (value, place) => {
    if (!Array.isArray(value)) refuse(place, "Input should be a valid list");
    else value.forEach((entry, index) => item(entry, `${place}.${index}`));
  };
}

/** A string, or the shape. */
export function stringOr(shape: Shape): Shape {
  return (value, place) => {
    if (typeof value !== "string") shape(value, place);
  };
}

/** An object with these fields and no others. */
export function object(
  required: Readonly<Record<string, Shape>>,
  optional: Readonly<Record<string, Shape>> = {},
): Shape {
  return (value, place) => {
    if (!isObject(value)) return refuse(place, "Input should be a valid dictionary");
    const at = (name: string): string => (place === "" ? name : `${place}.${name}`);
    for (const [name, shape] of Object.entries(required)) {
      if (!Object.hasOwn(value, name)) refuse(at(name), "Field required");
      shape(value[name], at(name));
    }
    for (const name of Object.keys(value)) {
      if (Object.hasOwn(required, name)) continue;
      if (!Object.hasOwn(optional, name)) refuse(at(name), "Extra inputs are not permitted");
      optional[name]?.(value[name], at(name));
    }
  };
}

/** One of several objects, told apart by `type`. */
export function taggedObject(shapes: Readonly<Record<string, Shape>>): Shape {
  return (value, place) => {
    if (!isObject(value)) return refuse(place, "Input should be a valid dictionary");
    const { type } = value;
    if (type === undefined) refuse(`${place}.type`, "Field required");
    const shape =
      typeof type === "string" && Object.hasOwn(shapes, type) ? shapes[type] : undefined;
    if (shape === undefined) {
      return refuse(
        place,
        `Input tag '${JSON.stringify(type)}' found using 'type' does not match any of the expected tags: ` +
          Object.keys(shapes)
            .map((tag) => `'${tag}'`)
            .join(", "),
      );
    }
    shape(value, place);
  };
}
