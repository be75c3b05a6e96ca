import type { JsonValue } from "../blob/content.js";
import type { JsonSchema } from "../model/request.js";
import { LlmError } from "./llm-error.js";

/** References that one schema may have inlined: nested ones multiply. */
const MAX_INLINED_REFS = 2_000;

/** Keywords that hold schemas by name: the names are not keywords. */
const SCHEMA_MAPS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
]);
/** Keywords that hold values: what looks like a schema in them is none. */
const VALUES: ReadonlySet<string> = new Set(["enum", "const", "default", "examples"]);
const DEFINITIONS: ReadonlySet<string> = new Set(["$defs", "definitions"]);

/** What becomes of a schema that contains itself. */
export type RecursiveRefs = "outline" | "keep";

/**
 * The same schema without references, for wires that know none or take them badly: each `$ref` into
 * the schema itself is replaced by what it names, keywords beside it winning.
 *
 * @param what names the schema in errors, such as `the input schema of tool "x"`
 * @param recursive `"outline"` cuts a schema inside itself down to its `type`, `title` and
 *   `description`; `"keep"` leaves a bare reference there, to a definition in `$defs` of the root
 * @throws LlmError `invalid_request` for a reference that leads out of the schema or to nothing, and
 *   if so many would be inlined that the request became absurd
 */
export function inlineRefs(
  schema: JsonSchema,
  what: string,
  recursive: RecursiveRefs = "outline",
): JsonSchema {
  const inliner = new Inliner(schema, what, recursive);
  // The root is on the way to everything; an outline of it is made one step later, to say more.
  const inlined = inliner.schema(schema, recursive === "keep" ? ["#"] : []);
  const kept = inliner.keptDefinitions();
  return Object.keys(kept).length === 0 ? inlined : { ...inlined, $defs: kept };
}

class Inliner {
  readonly #root: JsonSchema;
  readonly #what: string;
  readonly #recursive: RecursiveRefs;
  /** Names in `$defs` of the references that stay. */
  readonly #kept = new Map<string, string>();
  #inlinedCount = 0;

  constructor(root: JsonSchema, what: string, recursive: RecursiveRefs) {
    this.#root = root;
    this.#what = what;
    this.#recursive = recursive;
  }

  /** What the references that stay name. Writing one out may leave further ones. */
  keptDefinitions(): JsonSchema {
    const definitions: Record<string, JsonValue> = {};
    for (const [ref, name] of this.#kept) {
      definitions[name] = this.schema(this.#resolve(ref), [ref]);
    }
    return definitions;
  }

  /** @param path references on the way to this place */
  schema(schema: JsonSchema, path: readonly string[]): JsonSchema {
    const { $ref: ref, ...own } = schema;
    if (typeof ref !== "string") return this.#keywords(schema, path);
    const target = this.#resolve(ref);
    if (path.includes(ref) || this.#kept.has(ref)) {
      if (this.#recursive === "keep") return { $ref: this.#keep(ref) };
      return { ...outlineOf(target), ...this.#keywords(own, path) };
    }
    this.#inlinedCount += 1;
    if (this.#inlinedCount > MAX_INLINED_REFS) {
      throw this.#invalid(`has more than ${MAX_INLINED_REFS} references; simplify it`);
    }
    return { ...this.schema(target, [...path, ref]), ...this.#keywords(own, path) };
  }

  #keep(ref: string): string {
    let name = this.#kept.get(ref);
    if (name === undefined) {
      // A name without characters that a pointer would have to escape.
      const base = (ref.split("/").at(-1) ?? "").replaceAll(/[^\w.-]/g, "_");
      const names = new Set(this.#kept.values());
      name = base;
      for (let n = 2; names.has(name); n++) name = `${base}${n}`;
      this.#kept.set(ref, name);
    }
    return `#/$defs/${name}`;
  }

  #keywords(schema: JsonSchema, path: readonly string[]): JsonSchema {
    const inlined: Record<string, JsonValue> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (DEFINITIONS.has(keyword)) continue;
      inlined[keyword] = VALUES.has(keyword)
        ? value
        : SCHEMA_MAPS.has(keyword) && isSchema(value)
          ? this.#map(value, path)
          : this.#value(value, path);
    }
    return inlined;
  }

  #map(schemas: JsonSchema, path: readonly string[]): JsonSchema {
    const entries = Object.entries(schemas);
    return Object.fromEntries(entries.map(([name, value]) => [name, this.#value(value, path)]));
  }

  #value(value: JsonValue, path: readonly string[]): JsonValue {
    if (Array.isArray(value)) {
      return value.map((element: JsonValue) => this.#value(element, path));
    }
    return isSchema(value) ? this.schema(value, path) : value;
  }

  #resolve(ref: string): JsonSchema {
    if (!/^#(\/|$)/.test(ref)) {
      throw this.#invalid(`refers to ${JSON.stringify(ref)}, which is not a place in it`);
    }
    let place: JsonValue | undefined = this.#root;
    for (const step of ref.split("/").slice(1)) {
      place = childOf(place, decodePointerStep(step));
    }
    if (place === true) return {};
    if (!isSchema(place)) {
      throw this.#invalid(`refers to ${JSON.stringify(ref)}, which is not in it`);
    }
    return place;
  }

  #invalid(problem: string): LlmError {
    return new LlmError("invalid_request", `${this.#what} ${problem}`);
  }
}

function outlineOf({ type, title, description }: JsonSchema): JsonSchema {
  return {
    ...(type === undefined ? {} : { type }),
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
  };
}

function childOf(place: JsonValue | undefined, key: string): JsonValue | undefined {
  if (typeof place !== "object" || place === null || !Object.hasOwn(place, key)) return undefined;
  return (place as Readonly<Record<string, JsonValue>>)[key];
}

function decodePointerStep(step: string): string {
  let text = step;
  try {
    text = decodeURIComponent(step);
  } catch {
    // A per cent sign that stands for itself.
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}

function isSchema(value: JsonValue | undefined): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
