import {
  argumentsJson,
  type ConversationEntry,
  isRecord,
  type MessageItem,
  type OpaqueItem,
  type ProviderData,
  type ReasoningItem,
  stringOf,
  type ToolCallItem,
  type ToolResultItem,
  foreignJson,
  type WireRecord,
} from "llm-worker";
import { messageParts, resultParts } from "./content.js";
import {
  isBeforeGemini3,
  type MediaData,
  SCHEME_NAME,
  STAND_IN_SIGNATURE,
  type TextPart,
} from "./wire.js";

/** What an item comes to, serialised. */
export interface Block {
  readonly parts: readonly string[];
  /** Parts of a result that go into the user's next content. */
  readonly besides: readonly string[];
}

/** What the parts of an item depend on beside the item. */
export interface BlockPlace {
  /** For a call: whether it is the first of its content, which is the one that is signed (G3). */
  readonly isFirstCall?: boolean;
  /** For a result: its call. */
  readonly call?: ToolCallItem | undefined;
}

/** Serialises items for one model. */
export class BlockWriter {
  readonly #model: string;
  readonly #isBeforeGemini3: boolean;

  constructor(model: string) {
    this.#model = model;
    this.#isBeforeGemini3 = isBeforeGemini3(model);
  }

  /** The parts of an entry; none if nothing of it can be sent. */
  write({ item }: ConversationEntry, place: BlockPlace = {}): Block {
    switch (item.type) {
      case "message":
        return blockOf(this.#message(item));
      case "tool_call":
        return { parts: [this.#call(item, place.isFirstCall === true)], besides: [] };
      case "tool_result":
        return this.#result(item, place.call);
      case "reasoning":
        return blockOf(this.#thought(item));
      case "opaque":
        return { parts: this.#opaque(item).map(foreignJson), besides: [] };
    }
  }

  /** A signed part is not merged with others, so its message has one part (G4). */
  #message(item: MessageItem): readonly (TextPart | MediaData)[] {
    const thoughtSignature = this.#signature(item.providerData);
    const [only, ...others] = item.content;
    if (thoughtSignature === undefined || only?.type !== "text" || others.length > 0) {
      return messageParts(item);
    }
    return [{ text: only.text.toWellFormed(), thoughtSignature }];
  }

  /** Thoughts need not go back; one that is signed does, as it came. */
  #thought({ text, providerData }: ReasoningItem): readonly TextPart[] {
    const thoughtSignature = this.#signature(providerData);
    if (thoughtSignature === undefined) return [];
    return [{ text: text.toWellFormed(), thought: true, thoughtSignature }];
  }

  /** The arguments are put in as they came: parsing would move keys. */
  #call({ name, arguments: text, providerData }: ToolCallItem, isFirst: boolean): string {
    const id = idOf(providerData);
    const idField = id === undefined ? "" : `"id":${JSON.stringify(id)},`;
    const call = `{${idField}"name":${JSON.stringify(wireName(name))},"args":${argumentsJson(text)}}`;
    const signature = this.#signature(providerData) ?? this.#standIn(isFirst);
    const signatureField =
      signature === undefined ? "" : `,"thoughtSignature":${JSON.stringify(signature)}`;
    return `{"functionCall":${call}${signatureField}}`;
  }

  /** The id is echoed only if the server gave one (G16). */
  #result(item: ToolResultItem, call: ToolCallItem | undefined): Block {
    const id = idOf(call?.providerData);
    const name = wireName(call?.name ?? "");
    const mediaPlace = this.#isBeforeGemini3 ? "besides" : "inside";
    const { response, parts, besides } = resultParts(item, name, mediaPlace);
    const idField = id === undefined ? "" : `"id":${JSON.stringify(id)},`;
    const partsField = parts.length > 0 ? `,"parts":${foreignJson(parts)}` : "";
    const fields = `${idField}"name":${JSON.stringify(name)},"response":${JSON.stringify(response)}`;
    return {
      parts: [`{"functionResponse":{${fields}${partsField}}}`],
      besides: besides.map(foreignJson),
    };
  }

  /** Sent back whole to the model that made it; the signature of another is refused. */
  #opaque({ providerData }: OpaqueItem): readonly unknown[] {
    const data = ownData(providerData);
    if (data === undefined) return [];
    if (providerData.model === this.#model) return [data];
    const { thoughtSignature: _foreign, ...unsigned } = data;
    return Object.keys(unsigned).length === 0 ? [] : [unsigned];
  }

  #signature(providerData: ProviderData | undefined): string | undefined {
    if (providerData?.model !== this.#model) return undefined;
    return stringOf(ownData(providerData)?.["thoughtSignature"]).toWellFormed() || undefined;
  }

  #standIn(isFirstCall: boolean): string | undefined {
    return isFirstCall && !this.#isBeforeGemini3 ? STAND_IN_SIGNATURE : undefined;
  }
}

function blockOf(parts: readonly (TextPart | MediaData)[]): Block {
  const toJson = (part: TextPart | MediaData): string =>
    "text" in part ? JSON.stringify(part) : foreignJson(part);
  return { parts: parts.map(toJson), besides: [] };
}

function ownData(providerData: ProviderData | undefined): WireRecord | undefined {
  if (providerData?.scheme !== SCHEME_NAME) return undefined;
  return isRecord(providerData.data) ? providerData.data : undefined;
}

function idOf(providerData: ProviderData | undefined): string | undefined {
  return stringOf(ownData(providerData)?.["id"]).toWellFormed() || undefined;
}

/** A name that the server takes; models of other providers may have made up any (G8). */
function wireName(name: string): string {
  const allowed = name.replaceAll(/[^\w.:-]/g, "_").slice(0, MAX_NAME_LENGTH);
  return /^[A-Za-z_]/.test(allowed) ? allowed : `_${allowed.slice(1)}`;
}

const MAX_NAME_LENGTH = 64;
