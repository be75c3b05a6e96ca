import { type JsonSchema, plainObjectSchema, type ToolDefinition } from "llm-worker";
import { strictSchema } from "./strict-schema.js";

/** Tools whose arguments the server holds to the schema: all, or those of these names. */
export type StrictTools = "all" | readonly string[];

/** Call ids as Chat takes them (C13). */
export const CHAT_CALL_ID: RegExp = /^[a-zA-Z0-9_.:-]{1,40}$/;
/** Call ids as Responses takes them (R6). */
export const RESPONSES_CALL_ID: RegExp = /^[a-zA-Z0-9_.:-]{1,64}$/;

const MAX_NAME_CHARS = 64;

/** The parameters of a tool as both APIs take them, and whether they are strict. */
export function toolParameters(
  { name, inputSchema }: ToolDefinition,
  strictTools: StrictTools | undefined,
): { readonly parameters: JsonSchema; readonly isStrict: boolean } {
  const what = `the input schema of tool ${JSON.stringify(name)}`;
  const parameters = plainObjectSchema(inputSchema, what);
  const isStrict = strictTools === "all" || (strictTools?.includes(name) ?? false);
  return { parameters: isStrict ? strictSchema(parameters, what) : parameters, isStrict };
}

/** The name of a call in the history: models and other providers make up names that are refused. */
export function wireToolName(name: string): string {
  const safe = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, MAX_NAME_CHARS);
  return safe === "" ? "unnamed" : safe;
}

/** How the schema of a structured answer is sent. */
export type OutputSchemaMode = "strict" | "loose";

/** The name that both APIs want for the schema of an answer. */
const OUTPUT_NAME = "output";

/** The schema of a structured answer with the fields that both APIs want beside it. */
export function outputFormat(
  schema: JsonSchema,
  mode: OutputSchemaMode = "strict",
): { readonly name: string; readonly schema: JsonSchema; readonly strict: boolean } {
  const isStrict = mode === "strict";
  return {
    name: OUTPUT_NAME,
    schema: isStrict
      ? strictSchema(
          plainObjectSchema(schema, "outputSchema"),
          'outputSchema (outputSchemaMode "loose" sends it as it is)',
        )
      : schema,
    strict: isStrict,
  };
}
