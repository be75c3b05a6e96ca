import { expect, expectTypeOf, test } from "vitest";
import { plainInput } from "./plain-input.js";
import type { OutputOf } from "./standard-schema.js";
import { validateWith } from "./validation.js";

const schema = plainInput({
  path: { type: "string", description: "Where." },
  offset: { type: "integer", minimum: 1, isOptional: true },
});

test("says its parameters as JSON Schema", () => {
  expect(schema["~standard"].jsonSchema?.input({ target: "draft-2020-12" })).toEqual({
    type: "object",
    properties: {
      path: { type: "string", description: "Where." },
      offset: { type: "integer", minimum: 1 },
    },
    required: ["path"],
  });
});

test("its input has the types that it checks", () => {
  expectTypeOf<OutputOf<typeof schema>>().toEqualTypeOf<{
    readonly path: string;
    readonly offset: number | undefined;
  }>();
});

test.each([
  [{ path: "a" }, { path: "a" }],
  [
    { path: "a", offset: 3, more: true },
    { path: "a", offset: 3 },
  ],
  [{ path: "a", offset: null }, { path: "a" }],
])("takes %j", async (value, input) => {
  expect(await validateWith(schema, value)).toEqual({ ok: true, input });
});

test.each([
  [null, "expected an object"],
  [[], "expected an object"],
  [{}, "path: expected a string"],
  [{ path: 5 }, "path: expected a string"],
  [{ path: null }, "path: expected a string"],
  [{ path: "a", offset: 0 }, "offset: expected a whole number of at least 1"],
  [{ path: "a", offset: 1.5 }, "offset: expected a whole number of at least 1"],
  [{ path: "a", offset: "1" }, "offset: expected a whole number of at least 1"],
  [Object.create({ path: "inherited" }), "path: expected a string"],
])("refuses %j", async (value, issue) => {
  expect(await validateWith(schema, value)).toEqual({ ok: false, issues: [issue] });
});
