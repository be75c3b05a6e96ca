import * as z from "zod";
import { LlmWorkerError } from "../errors.js";
import type { JsonSchema, ToolDefinition } from "../model/request.js";

/** What a tool is told about the call it serves. */
export interface ToolContext {
  readonly callId: string;
  /** Aborted when the run is, or when the tool's time is up. */
  readonly signal: AbortSignal;
}

/** Whether arguments fit a tool, and what the tool gets if so. */
export type Validation =
  | { readonly ok: true; readonly input: unknown }
  | { readonly ok: false; readonly issues: readonly string[] };

/**
 * Something the model can call. Made by {@link defineTool}; kept by a `ToolServer`.
 *
 * `execute` may return a string, any JSON value, bytes, an explicit `ToolOutput`,
 * `{ summary, content? }`, or an async iterable of strings or bytes. Whatever its size, the
 * worker's policy decides what of it enters the history.
 */
export interface Tool extends ToolDefinition {
  validate(value: unknown): Validation | Promise<Validation>;
  execute(input: unknown, context: ToolContext): unknown;
  /** Milliseconds for one call, streamed output included. Default: the server's. */
  readonly timeoutMs?: number | undefined;
  /** The tool caps its own answers and they are never stored (`inspect`, `read_file`). */
  readonly readsBack?: boolean | undefined;
}

/** What a tool with `readsBack` returns: text for the model that is capped already. */
export interface ReadBackAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** What {@link defineTool} takes: a `Tool` with its input told as a zod schema. */
export interface ToolSpec<Schema extends z.ZodType> {
  readonly name: string;
  readonly description: string;
  /** A zod object schema: validates the arguments and is told to the model as JSON Schema. */
  readonly input: Schema;
  execute(input: z.output<Schema>, context: ToolContext): unknown;
  readonly timeoutMs?: number | undefined;
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
 * Makes a {@link Tool}.
 *
 * @throws ToolDefinitionError if the name is not one that every provider takes, or the input is not
 * an object schema that JSON Schema can say
 * @example
 * const add = defineTool({
 *   name: "add",
 *   description: "Adds two numbers.",
 *   input: z.object({ a: z.number(), b: z.number() }),
 *   execute: ({ a, b }) => a + b,
 * });
 */
export function defineTool<Schema extends z.ZodType>(spec: ToolSpec<Schema>): Tool {
  const { name, description, input: schema, timeoutMs } = spec;
  assertToolName(name);
  return {
    name,
    description,
    inputSchema: toInputSchema(name, schema),
    timeoutMs,
    async validate(value: unknown): Promise<Validation> {
      const result = await schema.safeParseAsync(value);
      if (result.success) return { ok: true, input: result.data };
      return { ok: false, issues: result.error.issues.map(describeIssue) };
    },
    // `validate` made the input, so it has the schema's output type.
    execute: (input, context) => spec.execute(input as z.output<Schema>, context),
  };
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

function toInputSchema(name: string, schema: z.ZodType): JsonSchema {
  let json: Record<string, unknown>;
  try {
    json = z.toJSONSchema(schema, { io: "input", target: "draft-2020-12" });
  } catch (cause) {
    throw new ToolDefinitionError(
      name,
      "its input schema cannot be said in JSON Schema; use types that JSON has",
      { cause },
    );
  }
  if (json["type"] !== "object") {
    throw new ToolDefinitionError(
      name,
      "its input has to be an object schema: wrap it in z.object",
    );
  }
  delete json["$schema"];
  // zod makes plain JSON here.
  return json as JsonSchema;
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const path = issue.path.map(String).join(".");
  return path === "" ? issue.message : `${path}: ${issue.message}`;
}
