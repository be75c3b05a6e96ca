import { isRecord } from "./read-json.js";

/** Where a field of a JSON document is: names of members and places of elements, from the outside in. */
export type JsonPath = readonly (string | number)[];

/** Which fields may differ in documents that are alike in all else. */
export interface VaryingFields {
  /** Strings and numbers that are kept when the document is gone. */
  readonly kept: readonly JsonPath[];
  /** Strings and numbers that are only looked at. */
  readonly seen?: readonly JsonPath[] | undefined;
  /** Strings and numbers that nobody looks at. */
  readonly unseen?: readonly JsonPath[] | undefined;
}

/** What is done with a varying field. */
export type FieldUse = keyof VaryingFields;

/** Varying fields as a tree, so that one pass through a document finds them all. */
export interface FieldTree {
  /** What is done with the field that ends here, if one does. */
  use: FieldUse | undefined;
  readonly children: Map<string | number, FieldTree>;
}

/** A varying field of one document: a string or a number. */
export interface FoundField {
  readonly use: FieldUse;
  readonly type: "string" | "number";
  /** Where its JSON begins and ends in the text. */
  readonly start: number;
  readonly end: number;
  /** The object or array that has the field, and under which key. */
  readonly parent: Container;
  readonly key: string | number;
}

type Container = Record<string | number, unknown>;

/** Puts paths into a tree. */
export function fieldTree({ kept, seen = [], unseen = [] }: VaryingFields): FieldTree {
  const root: FieldTree = { use: undefined, children: new Map() };
  for (const path of kept) nodeAt(root, path).use = "kept";
  for (const path of seen) nodeAt(root, path).use = "seen";
  for (const path of unseen) nodeAt(root, path).use = "unseen";
  return root;
}

function nodeAt(root: FieldTree, path: JsonPath): FieldTree {
  let node = root;
  for (const key of path) {
    const child = node.children.get(key) ?? { use: undefined, children: new Map() };
    node.children.set(key, child);
    node = child;
  }
  return node;
}

/** Whether a value has a field that is kept, or one in its place in an object or array. */
export function hasKeptField(value: unknown, { use, children }: FieldTree): boolean {
  if (typeof value === "string" || typeof value === "number") return use === "kept";
  if (typeof value !== "object" || value === null) return false;
  for (const [key, child] of children) {
    if (hasKeptField((value as Container)[key], child)) return true;
  }
  return false;
}

/**
 * The fields of a document that are in the tree, in the order of the text. `undefined` if a name on
 * the way to one stands twice, as then the last one counts.
 *
 * @param text valid JSON
 * @param value what it says
 */
export function findFields(
  text: string,
  value: unknown,
  tree: FieldTree,
): readonly FoundField[] | undefined {
  const finder = new FieldFinder(text);
  finder.visit(tree, { root: value }, "root");
  return finder.isAmbiguous ? undefined : finder.found;
}

const QUOTE = 34;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

// The text is known to be valid, so that these need not tell what is.
const BETWEEN = /[\s,:]*/y;
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/y;
const OTHER_SCALAR = /[^\s,\]}]+/y;

/** Goes through a text once, from its beginning to its end. */
class FieldFinder {
  readonly found: FoundField[] = [];
  isAmbiguous = false;
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads the value that comes next, which is `parent[key]` unless the name stands twice. */
  visit(node: FieldTree, parent: Container, key: string | number): void {
    this.#skip(BETWEEN);
    const start = this.#at;
    const first = this.#text.charCodeAt(start);
    const value = parent[key];
    if (first === OPEN_BRACE && isRecord(value)) {
      this.#visitMembers(node, value);
    } else if (first === OPEN_BRACKET && Array.isArray(value)) {
      this.#visitElements(node, value as unknown as Container);
    } else {
      this.#skipValue();
      const type = typeof value;
      if (node.use !== undefined && (type === "string" || type === "number")) {
        this.found.push({ use: node.use, type, start, end: this.#at, parent, key });
      }
    }
  }

  #visitMembers(node: FieldTree, record: Container): void {
    const seen = new Set<string>();
    for (this.#at += 1; !this.#endsContainer();) {
      const name = this.#name();
      const child = node.children.get(name);
      if (child === undefined) {
        this.#skipValue();
        continue;
      }
      if (seen.has(name)) this.isAmbiguous = true;
      seen.add(name);
      this.visit(child, record, name);
    }
  }

  #visitElements(node: FieldTree, list: Container): void {
    this.#at += 1;
    for (let place = 0; !this.#endsContainer(); place++) {
      const child = node.children.get(place);
      if (child === undefined) this.#skipValue();
      else this.visit(child, list, place);
    }
  }

  #name(): string {
    const start = this.#at;
    this.#skip(STRING);
    // A name may be written with escapes.
    return JSON.parse(this.#text.slice(start, this.#at)) as string;
  }

  /** Without recursion, as a server may nest as deep as it likes. */
  #skipValue(): void {
    let depth = 0;
    do {
      if (this.#endsContainer()) {
        depth -= 1;
        continue;
      }
      const first = this.#text.charCodeAt(this.#at);
      if (first === OPEN_BRACE || first === OPEN_BRACKET) {
        depth += 1;
        this.#at += 1;
      } else {
        this.#skip(first === QUOTE ? STRING : OTHER_SCALAR);
      }
    } while (depth > 0);
  }

  /** Whether the container that is open ends here. If it does, what comes next is behind its end. */
  #endsContainer(): boolean {
    this.#skip(BETWEEN);
    const code = this.#text.charCodeAt(this.#at);
    if (code !== CLOSE_BRACE && code !== CLOSE_BRACKET) return false;
    this.#at += 1;
    return true;
  }

  #skip(pattern: RegExp): void {
    pattern.lastIndex = this.#at;
    pattern.test(this.#text);
    this.#at = pattern.lastIndex;
  }
}
