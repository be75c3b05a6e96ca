import fc from "fast-check";
import { stringLiteral } from "./json-text.js";

const space = fc.constantFrom("", "", "", " ", "\n", "\t ", "\r\n");
/** Few names, so that they are those that a test asks for, and stand twice now and then. */
const name = fc.constantFrom('"a"', '"b"', '"c"', '"0"', String.raw`"\u0061"`, '"__proto__"');

/** Literals of strings and numbers. */
export const stringOrNumber: fc.Arbitrary<string> = fc.oneof(
  stringLiteral,
  fc.integer().map(String),
  fc.constantFrom("0", "-0", "1e5", "1E+2", "2.50", "-1.5e-3", "1e9999", "12345678901234567890"),
);

/** Valid JSON, mostly objects with members `a`, `b` and `c`, some of them twice. */
export const jsonWithFields: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => {
  const value = fc.tuple(space, tie("value"), space).map((parts) => parts.join(""));
  const member = fc.tuple(space, name, space, value).map(([before, key, after, inner]) => {
    return `${before}${key}${after}:${inner}`;
  });
  return {
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      { weight: 3, arbitrary: stringOrNumber },
      { weight: 1, arbitrary: fc.constantFrom("true", "false", "null") },
      {
        weight: 6,
        arbitrary: fc.array(member, { maxLength: 4 }).map((members) => `{${members.join(",")}}`),
      },
      {
        weight: 2,
        arbitrary: fc.array(value, { maxLength: 3 }).map((list) => `[${list.join(",")}]`),
      },
    ),
  };
}).value;
