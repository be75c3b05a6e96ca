import type { JsonValue } from "../blob/content.js";

/** A request body in the order in which its fields were set; some of them serialised already. */
export class JsonBody {
  readonly #fields = new Map<string, string>();

  /** Sets a field, unless there is nothing to say. */
  set(name: string, value: unknown): void {
    if (value !== undefined) this.#fields.set(name, JSON.stringify(value));
  }

  /** Sets a field to what is JSON text. */
  setJson(name: string, json: string): void {
    this.#fields.set(name, json);
  }

  /** Sets fields that win over those that are set. */
  override(fields: Readonly<Record<string, JsonValue>> = {}): void {
    for (const [name, value] of Object.entries(fields)) this.set(name, value);
  }

  /** The body as JSON text. */
  toString(): string {
    let json = "";
    for (const [name, value] of this.#fields) {
      json += `${json === "" ? "{" : ","}${JSON.stringify(name)}:${value}`;
    }
    return json === "" ? "{}" : `${json}}`;
  }
}

/** A list of JSON texts. Appending is the fastest way to join many: they are copied once. */
export function jsonList(items: Iterable<string>): string {
  let json = "";
  for (const item of items) json += json === "" ? `[${item}` : `,${item}`;
  return json === "" ? "[]" : `${json}]`;
}
