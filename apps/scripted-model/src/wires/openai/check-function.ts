import { isObject } from "../../json.js";
import { refuse } from "./refuse.js";

/** A function as a request declares it. */
export interface FunctionDeclaration {
  readonly name: string;
  readonly description?: string | null | undefined;
  /** JSON Schema of the arguments. */
  readonly parameters?: unknown;
  readonly strict?: boolean | null | undefined;
}

/** Names of functions on both APIs. */
export const FUNCTION_NAME: RegExp = /^[a-zA-Z0-9_-]+$/;
export const MAX_FUNCTION_NAME_LENGTH = 64;
export const MAX_TOOLS = 128;

/**
 * Checks what the API asks of the schema of a function's arguments: an object at its root and, if the
 * function is strict, closed objects of which every property is required.
 */
export function checkFunction(declared: FunctionDeclaration, param: string): void {
  const { name, parameters, strict } = declared;
  if (!isObject(parameters)) return;
  if (parameters["type"] !== "object") {
    const found = JSON.stringify(parameters["type"] ?? null);
    refuseSchema(
      name,
      param,
      `schema must be a JSON Schema of 'type: "object"', got 'type: ${found}'.`,
    );
  }
  if (strict === true) checkClosed(parameters, { name, param, context: "" });
}

interface SchemaPlace {
  readonly name: string;
  readonly param: string;
  /** The way to it, as the API writes it. */
  readonly context: string;
}

function checkClosed(schema: unknown, place: SchemaPlace): void {
  if (!isObject(schema)) return;
  const { name, param, context } = place;
  const inContext = `In context=(${context}),`;
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  if (schema["type"] === "object" || schema["properties"] !== undefined) {
    if (schema["additionalProperties"] !== false) {
      refuseSchema(
        name,
        param,
        `${inContext} 'additionalProperties' is required to be supplied and to be false.`,
      );
    }
    const required: unknown = schema["required"];
    const names = Array.isArray(required) ? required : [];
    const missing = Object.keys(properties).find((property) => !names.includes(property));
    if (missing !== undefined) {
      refuseSchema(
        name,
        param,
        `${inContext} 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`,
      );
    }
  }
  for (const [property, part] of Object.entries(properties)) {
    checkClosed(part, { name, param, context: `${context}'properties', '${property}'` });
  }
  checkClosed(schema["items"], { name, param, context: `${context}'items'` });
}

function refuseSchema(name: string, param: string, problem: string): never {
  return refuse(
    `${param}.parameters`,
    `Invalid schema for function '${name}': ${problem}`,
    "invalid_function_parameters",
  );
}
