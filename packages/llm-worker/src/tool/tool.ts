import type { JsonValue } from "../blob/content.js";
import { errorMessage, LlmWorkerError } from "../errors.js";
import type { JsonSchema, ToolDefinition } from "../model/request.js";
import { jsonSchemaValidator } from "./json-schema-validator.js";
import { isStandardSchema, type OutputOf, type StandardSchema } from "./standard-schema.js";
import { validateWith, type Validation } from "./validation.js";

/** What a tool is told about the call it serves. */
export interface ToolContext {
  readonly callId: string;
  /** Aborted when the run is, or when the tool's time is up; after the call has ended, no more. */
  readonly signal: AbortSignal;
}

/**
 * Something the model can call. Made by {@link defineTool}; kept by a `ToolServer`.
 *
 * `execute` may return a string, any JSON value, bytes, an explicit `ToolOutput`,
 * `{ summary, content? }`, an async iterable of strings or bytes, an image or file part
 * (`{ type: "image", source }`), or an array of text, image and file parts. Whatever its size, the
 * worker's policy decides what of it enters the history.
 */
export interface Tool extends ToolDefinition {
  validate(value: unknown): Validation | Promise<Validation>;
  execute(input: unknown, context: ToolContext): unknown;
  /** Milliseconds for one call, streamed output included. Default: the server's. */
  readonly timeoutMs?: number | undefined;
  /** The tool caps its own answers and they are never stored (`inspect`, `read_file`). */
  readonly readsBack?: boolean | undefined;
  /** Parameters for which the model may give `blob:<id>` instead of a text. */
  readonly blobParameters?: readonly string[] | undefined;
}

/** What a tool with `readsBack` returns: text for the model that is capped already. */
export interface ReadBackAnswer {
  readonly text: string;
  readonly isError: boolean;
}

interface CommonSpec {
  readonly name: string;
  readonly description: string;
  readonly timeoutMs?: number | undefined;
  /**
   * Names of text parameters for which the model may give `blob:<id>`, with a selector if it likes
   * (`blob:<id> | lines:1-20`), instead of the text. The worker puts the stored bytes in their place;
   * they never pass through the model. The schema sees the reference, `execute` the text.
   */
  readonly blobParameters?: readonly string[] | undefined;
}

/** A tool whose input is told as a schema of zod, or of any library with Standard Schema. */
export interface ToolSpec<Schema extends StandardSchema> extends CommonSpec {
  /** An object schema: validates the arguments and is told to the model as JSON Schema. */
  readonly input: Schema;
  /** What the model is told instead; needed where the library cannot say its schemas as JSON Schema. */
  readonly inputSchema?: JsonSchema | undefined;
  execute(input: OutputOf<Schema>, context: ToolContext): unknown;
}

/** A tool whose input is told as plain JSON Schema, such as one from an MCP server. */
export interface JsonSchemaToolSpec extends CommonSpec {
  readonly input: JsonSchema;
  execute(input: unknown, context: ToolContext): unknown;
}

/** A tool was defined or registered in a way that cannot work. */
export class ToolDefinitionError extends LlmWorkerError {
  readonly code = "invalid_tool";
  readonly toolName: string;
  constructor(toolName: string, problem: string, options?: ErrorOptions) {
    super(`tool ${JSON.stringify(toolName)}: ${problem}`, options);
    this.toolName = toolName;
  }
}

/**
 * Makes a {@link Tool}. With plain JSON Schema the arguments are validated as far as zod can read
 * the schema; where it cannot (`if`, `not`, …), they are only checked to be an object.
 *
 * @throws ToolDefinitionError if the name is not one that every provider takes, the input is not
 * an object schema that JSON Schema can say, or a part of the definition is missing
 * @example
 * const add = defineTool({
 *   name: "add",
 *   description: "Adds two numbers.",
 *   input: z.object({ a: z.number(), b: z.number() }),
 *   execute: ({ a, b }) => a + b,
 * });
 */
export function defineTool<Schema extends StandardSchema>(spec: ToolSpec<Schema>): Tool;
export function defineTool(spec: JsonSchemaToolSpec): Tool;
export function defineTool(spec: ToolSpec<StandardSchema> | JsonSchemaToolSpec): Tool {
  const { name, description, input, timeoutMs } = spec;
  assertToolName(name);
  assertComplete(spec);
  // A spec's `execute` is called as its method, with the input that `validate` has made.
  const execute: Tool["execute"] = (value, context) => spec.execute(value, context);
  const common = { name, description, timeoutMs, blobParameters: spec.blobParameters, execute };
  if (!isStandardSchema(input)) {
    const inputSchema = assertObjectSchema(name, input);
    const validate = jsonSchemaValidator(inputSchema);
    return {
      ...common,
      inputSchema: withReferences(name, inputSchema, spec.blobParameters),
      validate,
    };
  }
  const own = "inputSchema" in spec ? spec.inputSchema : undefined;
  const inputSchema = assertObjectSchema(name, own ?? toJsonSchema(name, input));
  return {
    ...common,
    inputSchema: withReferences(name, inputSchema, spec.blobParameters),
    validate: (value) => validateWith(input, value),
  };
}

/** For programs without types. */
function assertComplete({
  name,
  input,
  execute,
}: { readonly [Part in keyof JsonSchemaToolSpec]?: unknown }): void {
  const lacks = (what: string): ToolDefinitionError =>
    new ToolDefinitionError(String(name), `it has no ${what}`);
  if (input === undefined || input === null) {
    throw lacks("input: give an object schema, z.object({}) if it takes nothing");
  }
  if (typeof execute !== "function") throw lacks("execute: give a function");
}

const REFERENCE_HINT =
  "May be blob:ID for the whole of a stored output, or blob:ID | SELECTOR for a part of it.";

/** Tells the model for which parameters it may give a reference. */
function withReferences(
  toolName: string,
  schema: JsonSchema,
  blobParameters: readonly string[] = [],
): JsonSchema {
  if (blobParameters.length === 0) return schema;
  const properties = { ...asObject(schema["properties"]) };
  for (const parameter of blobParameters) {
    const property = asObject(properties[parameter]);
    if (property["type"] !== "string") {
      throw new ToolDefinitionError(
        toolName,
        `blobParameters names ${JSON.stringify(parameter)}, which is no text parameter of its input`,
      );
    }
    const own = property["description"];
    const description = typeof own === "string" ? `${own} ${REFERENCE_HINT}` : REFERENCE_HINT;
    properties[parameter] = { ...property, description };
  }
  return { ...schema, properties };
}

function asObject(value: JsonValue | undefined): { readonly [key: string]: JsonValue } {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  // Checked above; `Array.isArray` does not narrow readonly arrays away.
  return isObject ? (value as { readonly [key: string]: JsonValue }) : {};
}

/** Letters, digits, `_` and `-`, at most 64, not beginning with a digit or `-`: all wires take it. */
export const TOOL_NAME_PATTERN: RegExp = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** @throws ToolDefinitionError if a provider would refuse the name */
export function assertToolName(name: string): void {
  if (TOOL_NAME_PATTERN.test(name)) return;
  throw new ToolDefinitionError(
    name,
    "a name is 1 to 64 letters, digits, '_' or '-' and begins with a letter or '_'; rename it",
  );
}

function toJsonSchema(name: string, schema: StandardSchema): JsonSchema {
  const { jsonSchema, vendor } = schema["~standard"];
  if (jsonSchema === undefined) {
    throw new ToolDefinitionError(
      name,
      `${vendor} schemas do not tell their JSON Schema here: pass it as inputSchema beside input`,
    );
  }
  try {
    // Libraries make plain JSON here.
    return jsonSchema.input({ target: "draft-2020-12" }) as JsonSchema;
  } catch (cause) {
    throw new ToolDefinitionError(
      name,
      `its input schema cannot be said in JSON Schema (${errorMessage(cause)}); use types that JSON has`,
      { cause },
    );
  }
}

function assertObjectSchema(name: string, schema: JsonSchema): JsonSchema {
  if (schema["type"] !== "object") {
    throw new ToolDefinitionError(
      name,
      "its input has to be an object schema: wrap it in z.object",
    );
  }
  const { $schema: _dialect, ...rest } = schema;
  return rest;
}
