import { isRecord, type Item, type LlmRequest, parseJson, type WireRecord } from "llm-worker";
import { UsageError } from "./command.js";
import type { SchemeOptions } from "./wires.js";

/** A conversation and who is asked. */
export interface Conversation {
  readonly options: SchemeOptions;
  readonly request: LlmRequest;
}

/** Used where the input names no model. */
const DEFAULT_MODEL = "test-model";

/**
 * Reads a conversation: `{ model?, options?, systemPrompt?, tools?, items, generation?,
 * lockedItemCount? }`, or a list of items alone.
 *
 * @throws UsageError that says what is wrong and where
 */
export function parseConversation(text: string): Conversation {
  const value = parseJson(text);
  if (value === undefined) throw new UsageError("standard input is not JSON");
  const { model, options, items, tools, ...rest } = Array.isArray(value)
    ? ({ items: value } as WireRecord)
    : recordAt("the conversation", value);
  if (model !== undefined && typeof model !== "string") throw new UsageError("model is no string");
  if (!Array.isArray(items)) throw new UsageError("items is missing: a list of Items");
  items.forEach(checkItem);
  const listed = tools ?? [];
  if (!Array.isArray(listed)) throw new UsageError("tools is no list");
  listed.forEach(checkTool);
  const unknown = Object.keys(rest).find((field) => !REQUEST_FIELDS.has(field));
  if (unknown !== undefined) throw new UsageError(`there is no field ${JSON.stringify(unknown)}`);
  return {
    options: {
      ...(options === undefined ? {} : recordAt("options", options)),
      model: model ?? DEFAULT_MODEL,
    },
    // What its parts have to be was checked above; what they may be is checked by the scheme.
    request: { ...rest, items: items as Item[], tools: listed },
  };
}

const REQUEST_FIELDS: ReadonlySet<string> = new Set([
  "systemPrompt",
  "generation",
  "lockedItemCount",
]);

/** The fields that an item of each type has to have, and the type of their value. */
const ITEM_FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  message: { role: "string", content: "list" },
  tool_call: { callId: "string", name: "string", arguments: "string" },
  tool_result: { callId: "string", summary: "string" },
  reasoning: { text: "string" },
  opaque: { providerData: "object" },
};

function checkItem(item: unknown, position: number): void {
  const where = `items[${position}]`;
  const record = recordAt(where, item);
  const type = String(record["type"]);
  if (!Object.hasOwn(ITEM_FIELDS, type)) {
    const known = Object.keys(ITEM_FIELDS).join(", ");
    throw new UsageError(`${where}.type is ${JSON.stringify(record["type"])}: one of ${known}`);
  }
  checkFields(where, record, ITEM_FIELDS[type] ?? {});
}

function checkTool(tool: unknown, position: number): void {
  const where = `tools[${position}]`;
  checkFields(where, recordAt(where, tool), {
    name: "string",
    description: "string",
    inputSchema: "object",
  });
}

function checkFields(
  where: string,
  record: WireRecord,
  fields: Readonly<Record<string, string>>,
): void {
  for (const [field, type] of Object.entries(fields)) {
    if (typeOf(record[field]) !== type)
      throw new UsageError(`${where}.${field} has to be a ${type}`);
  }
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? "list" : typeof value;
}

function recordAt(where: string, value: unknown): WireRecord {
  if (isRecord(value)) return value;
  throw new UsageError(`${where} has to be an object`);
}
