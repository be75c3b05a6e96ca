import { isObject } from "./json.js";
import type { DeclaredTool } from "./model-view.js";
import type { Question } from "./question.js";
import { splitWords } from "./terms.js";

/** What a tool is good for, as far as its declaration tells. */
export type ToolRole = "read" | "search" | "list" | "inspect" | "other";

/** A declared tool and what its declaration tells about it. */
export interface KnownTool {
  readonly name: string;
  readonly role: ToolRole;
  /** Words of name and description in lower case. */
  readonly nameWords: ReadonlySet<string>;
  readonly descriptionWords: ReadonlySet<string>;
  readonly properties: readonly Property[];
  /** Its pattern is a regular expression, not a literal. */
  readonly takesRegExp: boolean;
}

interface Property {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly values: readonly unknown[];
}

const PATH_NAME = /path|file|dir|folder|location/iu;
const PATTERN_NAME = /pattern|query|regex|search|term|needle|keyword|phrase|^text$|^q$/iu;
const BLOB_NAME = /blob/iu;
const SELECTOR_NAME = /select|range|part/iu;
const SEARCH_WORDS = ["grep", "search", "find", "rg", "query", "match", "lookup"];
const LIST_WORDS = ["list", "ls", "dir", "directory", "tree", "glob", "readdir", "entries"];
const READ_WORDS = ["read", "open", "cat", "show", "view", "load", "get", "fetch", "content"];

/** Reads a tool's declaration. */
export function readTool(tool: DeclaredTool): KnownTool {
  const nameWords = new Set(splitWords(tool.name));
  const descriptionWords = new Set(splitWords(tool.description));
  const properties = readProperties(tool.inputSchema);
  return {
    name: tool.name,
    role: roleOf(nameWords, descriptionWords, properties),
    nameWords,
    descriptionWords,
    properties,
    takesRegExp: /reg(?:ular )?exp?/iu.test(
      `${tool.description} ${JSON.stringify(tool.inputSchema)}`,
    ),
  };
}

function readProperties(schema: unknown): Property[] {
  if (!isObject(schema) || !isObject(schema["properties"])) return [];
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(schema["properties"]).map(([name, value]) => {
    const property = isObject(value) ? value : {};
    const type = Array.isArray(property["type"]) ? property["type"][0] : property["type"];
    return {
      name,
      type: typeof type === "string" ? type : "string",
      isRequired: required.includes(name),
      values: Array.isArray(property["enum"]) ? property["enum"] : [],
    };
  });
}

function roleOf(
  name: ReadonlySet<string>,
  description: ReadonlySet<string>,
  properties: readonly Property[],
): ToolRole {
  const has = (pattern: RegExp): boolean =>
    properties.some((property) => pattern.test(property.name));
  const speaksOf = (words: readonly string[]): boolean =>
    words.some((word) => name.has(word)) || words.some((word) => description.has(word));
  if (has(BLOB_NAME) || (name.has("inspect") && properties.length > 0)) return "inspect";
  if (has(PATTERN_NAME) && speaksOf(SEARCH_WORDS)) return "search";
  if (LIST_WORDS.some((word) => name.has(word))) return "list";
  if (has(PATH_NAME) && speaksOf(READ_WORDS)) return "read";
  if (has(PATH_NAME) && speaksOf(LIST_WORDS)) return "list";
  return "other";
}

/** How many words of the question a tool's name and description share; the name counts triple. */
export function overlap(tool: KnownTool, question: Question): number {
  let score = 0;
  for (const word of question.wordParts) {
    if (word.length < 3) continue;
    const forms = [word, `${word}s`, word.replace(/s$/u, "")];
    if (forms.some((form) => tool.nameWords.has(form))) score += 3;
    else if (forms.some((form) => tool.descriptionWords.has(form))) score += 1;
  }
  return score;
}

/** What a call is about, where that is decided already. */
export interface CallTarget {
  readonly path?: string | undefined;
  readonly pattern?: string | undefined;
}

/**
 * Fills a tool's input from the question: path and pattern where properties are named so, numbers,
 * listed values and words for the other required ones.
 *
 * @returns nothing if a required property cannot be filled
 */
export function fillInput(
  tool: KnownTool,
  question: Question,
  target: CallTarget,
): Record<string, unknown> | undefined {
  const input: Record<string, unknown> = {};
  const words = question.terms.map((term) => term.text);
  const numbers = words.map(Number).filter((number) => !Number.isNaN(number));
  for (const property of tool.properties) {
    const value = fillProperty(tool, property, target, words, numbers);
    if (value !== undefined) input[property.name] = value;
    else if (property.isRequired) return undefined;
  }
  return input;
}

function fillProperty(
  tool: KnownTool,
  property: Property,
  target: CallTarget,
  words: string[],
  numbers: number[],
): unknown {
  const { name, isRequired, values } = property;
  if (values.length > 0) {
    const named = values.find((value) => words.some((word) => sameWord(word, value)));
    return named ?? (isRequired ? values[0] : undefined);
  }
  const isPath = PATH_NAME.test(name);
  const isPattern = !isPath && PATTERN_NAME.test(name);
  if (isPath || isPattern) {
    const pattern = target.pattern ?? (isRequired ? words[0] : undefined);
    const text = isPath
      ? (target.path ?? (isRequired && tool.role !== "read" ? "." : undefined))
      : pattern && (tool.takesRegExp ? escapeRegExp(pattern) : pattern);
    return property.type === "array" && text !== undefined ? [text] : text;
  }
  if (!isRequired) return undefined;
  switch (property.type) {
    case "integer":
    case "number":
      return numbers.shift();
    case "boolean":
      return false;
    case "array":
      return words.splice(0);
    case "object":
      return {};
    default:
      return words.shift();
  }
}

function sameWord(word: string, value: unknown): boolean {
  return typeof value === "string" && value.toLowerCase() === word.toLowerCase();
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);
}

/** The input of an `inspect` call, with the property names that the tool declares. */
export function inspectInput(
  tool: KnownTool,
  blobId: string,
  selector: string,
): Record<string, unknown> {
  const names = tool.properties.map((property) => property.name);
  const idName =
    names.find((name) => BLOB_NAME.test(name)) ??
    names.find((name) => /id/iu.test(name)) ??
    "blob_id";
  const selectorName =
    names.find((name) => SELECTOR_NAME.test(name)) ??
    names.find((name) => name !== idName) ??
    "selector";
  return selector === "" ? { [idName]: blobId } : { [idName]: blobId, [selectorName]: selector };
}
