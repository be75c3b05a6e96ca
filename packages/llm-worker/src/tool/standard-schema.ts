/**
 * What schema libraries agree on (the Standard Schema specification, version 1): zod, valibot,
 * ArkType and others have it. `jsonSchema` is its newer part; a schema without it needs its JSON
 * Schema told beside it.
 */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    readonly jsonSchema?:
      | {
          readonly input: (options: {
            readonly target: "draft-2020-12";
          }) => Record<string, unknown>;
        }
      | undefined;
  };
}

/** What a validation gives: the value, or what is wrong with it. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One thing that is wrong, and where. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a schema's validation gives. */
export type OutputOf<Schema extends StandardSchema> = NonNullable<
  Schema["~standard"]["types"]
>["output"];

export function isStandardSchema(value: object): value is StandardSchema {
  return "~standard" in value;
}

/** Place and words of an issue: `items.0.name: expected string`. */
export function describeIssue({ message, path = [] }: StandardIssue): string {
  const place = path.map((step) => String(typeof step === "object" ? step.key : step)).join(".");
  return place === "" ? message : `${place}: ${message}`;
}
