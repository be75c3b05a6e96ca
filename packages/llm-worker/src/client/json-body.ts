import type { JsonValue } from "../blob/content.js";
import { foreignJson } from "./well-formed-json.js";
import { WireBody } from "./wire-body.js";

/** A request body in the order in which its fields were set; some of them serialised already. */
export class JsonBody {
  readonly #fields = new Map<string, string | readonly Uint8Array[]>();

  /** Sets a field, unless there is nothing to say. */
  set(name: string, value: unknown): void {
    if (value !== undefined) this.#fields.set(name, foreignJson(value));
  }

  /** Sets a field to what is JSON text, or pieces of it as UTF-8. */
  setJson(name: string, json: string | readonly Uint8Array[]): void {
    this.#fields.set(name, json);
  }

  /** Sets fields that win over those that are set. */
  override(fields: Readonly<Record<string, JsonValue>> = {}): void {
    for (const [name, value] of Object.entries(fields)) this.set(name, value);
  }

  /** The body; pieces that were set are in it as they are. */
  toBody(): WireBody {
    const pieces: Uint8Array[] = [];
    let text = "{";
    for (const [name, value] of this.#fields) {
      text += `${text === "{" && pieces.length === 0 ? "" : ","}${JSON.stringify(name)}:`;
      if (typeof value === "string") {
        text += value;
      } else {
        pieces.push(Buffer.from(text), ...value);
        text = "";
      }
    }
    pieces.push(Buffer.from(`${text}}`));
    return new WireBody(pieces);
  }
}

/** A list of JSON texts. Appending is the fastest way to join many: they are copied once. */
export function jsonList(items: Iterable<string>): string {
  let json = "";
  for (const item of items) json += json === "" ? `[${item}` : `,${item}`;
  return json === "" ? "[]" : `${json}]`;
}
