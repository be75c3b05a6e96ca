import { describeIssue, type StandardSchema } from "./standard-schema.js";

/** Whether arguments fit a tool, and what the tool gets if so. */
export type Validation =
  | { readonly ok: true; readonly input: unknown }
  | { readonly ok: false; readonly issues: readonly string[] };

/** Validates with a schema of any library. */
export async function validateWith(schema: StandardSchema, value: unknown): Promise<Validation> {
  const result = await schema["~standard"].validate(value);
  if (result.issues === undefined) return { ok: true, input: result.value };
  return { ok: false, issues: result.issues.map(describeIssue) };
}
