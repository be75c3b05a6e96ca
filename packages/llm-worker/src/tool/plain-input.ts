import type { StandardIssue, StandardSchema } from "./standard-schema.js";

/** A parameter of one of the library's own tools. */
export interface PlainParameter {
  readonly type: "string" | "integer";
  readonly description?: string;
  /** For integers. */
  readonly minimum?: number;
  readonly isOptional?: true;
}

/** What a tool with these parameters gets. */
export type PlainInput<Parameters extends Record<string, PlainParameter>> = {
  readonly [Name in keyof Parameters]:
    | ValueOf<Parameters[Name]>
    | (Parameters[Name] extends { isOptional: true } ? undefined : never);
};

type ValueOf<Parameter extends PlainParameter> = Parameter["type"] extends "string"
  ? string
  : number;

/**
 * A schema of flat parameters, for the tools that this library registers itself: they must not cost
 * every program the import of a schema library. Takes `null` for an optional parameter, which some
 * models send, and passes over parameters that it does not know.
 */
export function plainInput<const Parameters extends Record<string, PlainParameter>>(
  parameters: Parameters,
): StandardSchema<PlainInput<Parameters>> {
  return {
    "~standard": {
      version: 1,
      vendor: "llm-worker",
      validate(value) {
        if (typeof value !== "object" || value === null || Array.isArray(value)) {
          return { issues: [{ message: "expected an object" }] };
        }
        const issues: StandardIssue[] = [];
        const input: Record<string, unknown> = {};
        for (const [name, parameter] of Object.entries(parameters)) {
          const given: unknown = Object.hasOwn(value, name) ? value[name as never] : undefined;
          if ((given === undefined || given === null) && parameter.isOptional === true) continue;
          if (fits(given, parameter)) input[name] = given;
          else issues.push({ message: `expected ${describe(parameter)}`, path: [name] });
        }
        // Each parameter was checked for what `PlainInput` says of it.
        return issues.length > 0 ? { issues } : { value: input as PlainInput<Parameters> };
      },
      jsonSchema: { input: () => toJsonSchema(parameters) },
    },
  };
}

function fits(value: unknown, { type, minimum = -Infinity }: PlainParameter): boolean {
  if (type === "string") return typeof value === "string";
  return Number.isSafeInteger(value) && Number(value) >= minimum;
}

function describe({ type, minimum }: PlainParameter): string {
  if (type === "string") return "a string";
  return minimum === undefined ? "a whole number" : `a whole number of at least ${minimum}`;
}

function toJsonSchema(parameters: Record<string, PlainParameter>): Record<string, unknown> {
  const entries = Object.entries(parameters);
  return {
    type: "object",
    properties: Object.fromEntries(
      entries.map(([name, { isOptional: _isOptional, ...property }]) => [name, property]),
    ),
    required: entries.filter(([, { isOptional }]) => isOptional !== true).map(([name]) => name),
  };
}
