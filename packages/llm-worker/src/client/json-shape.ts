import type { FoundField } from "./json-fields.js";

// JSON's own grammar (RFC 8259): what does not follow it has to fail as it would in JSON.parse.
const REST_OF_PLAIN_STRING = /[ !#-[\]-\uFFFF]*"/y;
const REST_OF_STRING = /(?:[ !#-[\]-\uFFFF]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?/y;

/** V8 copies a slice up to this length; a longer one keeps alive what it was cut from. */
const MAX_COPIED_CHARS = 12;

/**
 * A document of which others are copies but for the values of some fields: its text without them.
 * What has the same text around values of the same types says the same but for these values.
 */
export class JsonShape {
  /** What the last text that was read says. Fields that nobody looks at are `undefined` in it. */
  readonly value: unknown;
  readonly #fields: readonly FoundField[];
  /** What stands before each field, and after the last. */
  readonly #constants: readonly string[];

  /**
   * @param text valid JSON
   * @param value what it says
   * @param fields the varying fields of both, in the order of the text
   */
  constructor(text: string, value: unknown, fields: readonly FoundField[]) {
    const constants: string[] = [];
    let start = 0;
    for (const field of fields) {
      // The quote that begins a string is constant, the one that ends it is found with the value.
      constants.push(text.slice(start, field.type === "string" ? field.start + 1 : field.start));
      start = field.end;
    }
    constants.push(text.slice(start));
    this.value = value;
    this.#fields = fields;
    this.#constants = constants;
  }

  /** Whether a text has this shape. Then {@link value} has become what it says. */
  read(text: string): boolean {
    const constants = this.#constants;
    const fields = this.#fields;
    let at = 0;
    for (let i = 0; i < fields.length; i++) {
      const constant = constants[i] as string;
      if (!hasAt(text, constant, at)) return false;
      const start = at + constant.length;
      const field = fields[i] as FoundField;
      at =
        field.type === "string" ? readString(text, start, field) : readNumber(text, start, field);
      if (at < 0) return false;
    }
    const last = constants[fields.length] as string;
    return at + last.length === text.length && hasAt(text, last, at);
  }
}

/** As `startsWith`, which V8 compares character by character: a third of the speed. */
function hasAt(text: string, part: string, at: number): boolean {
  return text.indexOf(part, at) === at;
}

/** Sets the field to the string that begins at `start`. @returns where it ends, less than 0 if there is none */
function readString(text: string, start: number, { use, parent, key }: FoundField): number {
  REST_OF_PLAIN_STRING.lastIndex = start;
  if (REST_OF_PLAIN_STRING.test(text)) {
    const end = REST_OF_PLAIN_STRING.lastIndex;
    if (use === "unseen") parent[key] = undefined;
    else if (use === "seen" || end - 1 - start <= MAX_COPIED_CHARS)
      parent[key] = text.slice(start, end - 1);
    else parent[key] = JSON.parse(text.slice(start - 1, end));
    return end;
  }
  REST_OF_STRING.lastIndex = start;
  if (!REST_OF_STRING.test(text)) return -1;
  const end = REST_OF_STRING.lastIndex;
  parent[key] = use === "unseen" ? undefined : JSON.parse(text.slice(start - 1, end));
  return end;
}

function readNumber(text: string, start: number, { use, parent, key }: FoundField): number {
  NUMBER.lastIndex = start;
  if (!NUMBER.test(text)) return -1;
  const end = NUMBER.lastIndex;
  parent[key] = use === "unseen" ? undefined : Number(text.slice(start, end));
  return end;
}
