import type { JsonValue } from "../blob/content.js";
import type { ProviderData } from "../model/item.js";
import { isRecord } from "./read-json.js";

/**
 * What a model wants back with an item: the fields of its provider data if the same scheme and the
 * same model produced it, nothing otherwise. What another one produced is refused or misread.
 */
export function ownData(
  providerData: ProviderData | undefined,
  scheme: string,
  model: string,
): Readonly<Record<string, JsonValue>> {
  if (providerData?.scheme !== scheme || providerData.model !== model) return {};
  // Provider data is JSON, so a record of it holds JSON.
  return isRecord(providerData.data)
    ? (providerData.data as Readonly<Record<string, JsonValue>>)
    : {};
}
