import { type FieldTree, findFields, hasKeptField } from "./json-fields.js";
import { JsonShape } from "./json-shape.js";
import { parseJson } from "./read-json.js";

/**
 * In longer documents it is not the parsing of what repeats that takes the time; and a pattern that is
 * matched to tens of millions of characters runs out of stack.
 */
const MAX_SHAPE_CHARS = 16 * 1024;

/** Shapes that may be learned at first, and saved up for later. */
const MAX_CREDIT = 8;
// Learning a shape takes as long as parsing its document some times. So it is paid for by documents
// that were not parsed and, as a stream may begin to repeat at any time, by many that were.
const CREDIT_OF_REPEATED = 1 / 4;
const CREDIT_OF_PARSED = 1 / 32;

/**
 * Parses JSON documents of which many are like the one before but for a few fields, as the events of
 * a stream are. Those are not parsed again: only the fields that differ are read.
 */
export class RepeatingJson {
  readonly #varying: FieldTree;
  #shape: JsonShape | undefined;
  #credit = MAX_CREDIT;

  constructor(varying: FieldTree) {
    this.#varying = varying;
  }

  /**
   * What a text says, `undefined` if it is not JSON. The value holds until the next call, which may
   * set its varying fields anew: whoever keeps an object that has such fields has to copy it.
   * Fields that are named as unseen may be `undefined`.
   */
  parse(text: string): unknown {
    const isShort = text.length <= MAX_SHAPE_CHARS;
    if (isShort && this.#shape?.read(text) === true) {
      this.#credit = Math.min(this.#credit + CREDIT_OF_REPEATED, MAX_CREDIT);
      return this.#shape.value;
    }
    const value = parseJson(text);
    this.#credit = Math.min(this.#credit + CREDIT_OF_PARSED, MAX_CREDIT);
    if (isShort && this.#credit >= 1 && hasKeptField(value, this.#varying))
      this.#learn(text, value);
    return value;
  }

  #learn(text: string, value: unknown): void {
    this.#credit -= 1;
    const fields = findFields(text, value, this.#varying);
    if (fields !== undefined) this.#shape = new JsonShape(text, value, fields);
  }
}
