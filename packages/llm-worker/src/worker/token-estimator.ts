import type { Item, MediaPart } from "../model/item.js";
import type { JsonSchema, LlmRequest } from "../model/request.js";
import { unreachable } from "../errors.js";

/** Tokens that a text is likely to cost. Pure and fast: it runs over whole conversations. */
export type EstimateText = (text: string) => number;

/** What of a request costs input tokens. */
export type EstimatedRequest = Pick<LlmRequest, "systemPrompt" | "tools" | "items">;

/** Tokens for an image or a file, whatever its size: providers bill by area, not by base64. */
export const MEDIA_TOKENS = 1600;
/** Tokens that an item costs beyond its text: role, type and ids. */
export const ITEM_OVERHEAD_TOKENS = 4;

const ASCII_TOKENS = 0.27;
const ALPHABETIC_TOKENS = 0.5;
const IDEOGRAPHIC_TOKENS = 0.9;
const SURROGATE_TOKENS = 1;

/**
 * The default estimate: by script, since a token is about four Latin letters, about two letters of
 * other alphabets, one ideograph, and half an emoji.
 */
export function estimateTextTokens(text: string): number {
  let tokens = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) tokens += ASCII_TOKENS;
    else if (unit < 0x2e80) tokens += ALPHABETIC_TOKENS;
    else if (unit >= 0xd800 && unit < 0xe000) tokens += SURROGATE_TOKENS;
    else tokens += IDEOGRAPHIC_TOKENS;
  }
  return tokens;
}

/**
 * Estimates the input tokens of requests, and learns from what the provider reports. Each item is
 * looked at once, so a request costs work only for the items that are new.
 */
export class TokenEstimator {
  readonly #estimateText: EstimateText;
  readonly #ofItem = new WeakMap<Item, number>();
  readonly #ofSchema = new WeakMap<JsonSchema, number>();
  #last: { readonly items: readonly Item[]; readonly count: number; readonly tokens: number } = {
    items: [],
    count: 0,
    tokens: 0,
  };
  #correction = 1;

  constructor(estimateText: EstimateText = estimateTextTokens) {
    this.#estimateText = estimateText;
  }

  /** Tokens of one item, as corrected so far. */
  item(item: Item): number {
    return this.#rawItem(item) * this.#correction;
  }

  /** Tokens of a whole request, as corrected so far. */
  request(request: EstimatedRequest): number {
    return this.#rawRequest(request) * this.#correction;
  }

  /**
   * Takes what the provider billed for a request. Later estimates of the same conversation come out
   * at about that. A report that cannot be about this request (no tokens) is ignored.
   */
  correct(request: EstimatedRequest, billedTokens: number): void {
    const estimated = this.#rawRequest(request);
    if (estimated > 0 && billedTokens > 0) this.#correction = billedTokens / estimated;
  }

  #rawRequest({ systemPrompt = "", tools, items }: EstimatedRequest): number {
    let tokens = this.#estimateText(systemPrompt) + this.#rawItems(items);
    for (const tool of tools) {
      tokens += this.#estimateText(tool.name) + this.#estimateText(tool.description);
      tokens += this.#rawSchema(tool.inputSchema);
    }
    return tokens;
  }

  /** A history that has only grown since it was last seen is summed from where it ended. */
  #rawItems(items: readonly Item[]): number {
    const last = this.#last;
    const isSame = last.items === items && last.count <= items.length;
    let tokens = isSame ? last.tokens : 0;
    for (let i = isSame ? last.count : 0; i < items.length; i += 1) {
      // The bound was checked on the line above.
      tokens += this.#rawItem(items[i] as Item);
    }
    this.#last = { items, count: items.length, tokens };
    return tokens;
  }

  #rawSchema(schema: JsonSchema): number {
    const known = this.#ofSchema.get(schema);
    if (known !== undefined) return known;
    const tokens = this.#estimateText(JSON.stringify(schema));
    this.#ofSchema.set(schema, tokens);
    return tokens;
  }

  #rawItem(item: Item): number {
    const known = this.#ofItem.get(item);
    if (known !== undefined) return known;
    const tokens = ITEM_OVERHEAD_TOKENS + this.#contentOf(item);
    this.#ofItem.set(item, tokens);
    return tokens;
  }

  #contentOf(item: Item): number {
    switch (item.type) {
      case "message": {
        let tokens = 0;
        for (const part of item.content) {
          tokens += part.type === "text" ? this.#estimateText(part.text) : mediaTokens(part);
        }
        return tokens;
      }
      case "tool_call":
        return this.#estimateText(item.name) + this.#estimateText(item.arguments);
      case "tool_result": {
        let tokens = this.#estimateText(item.summary) + this.#estimateText(item.content ?? "");
        for (const part of item.parts ?? []) tokens += mediaTokens(part);
        return tokens;
      }
      case "reasoning":
        return this.#estimateText(item.text);
      case "opaque":
        return this.#estimateText(JSON.stringify(item.providerData.data));
      default:
        return unreachable(item);
    }
  }
}

function mediaTokens(_part: MediaPart): number {
  return MEDIA_TOKENS;
}
