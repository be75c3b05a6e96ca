import { createHash } from "node:crypto";
import type { Random } from "../../random.js";
import { HEX_CHARACTERS, makeId } from "../ids.js";

/**
 * What an item's id tells this server when the item comes back. The provider would look that up; this
 * server keeps no items, so that the ids themselves hold it.
 */
export interface ItemOrigin {
  /** The answer was one that the provider stores. */
  readonly isStored: boolean;
  /** The item came right behind a reasoning item. */
  readonly followsReasoning: boolean;
}

const PREFIXES = { reasoning: "rs_", message: "msg_", function_call: "fc_" } as const;

/** Kinds of items that an answer holds. */
export type ItemType = keyof typeof PREFIXES;

const RANDOM_LENGTH = 32;
const CHECK_LENGTH = 16;
const ORIGINS: readonly ItemOrigin[] = [true, false].flatMap((isStored) =>
  [true, false].map((followsReasoning) => ({ isStored, followsReasoning })),
);

/** The start that the id of an item of a type has to have; none for the types of others. */
export function idPrefix(type: string): string | undefined {
  return Object.hasOwn(PREFIXES, type) ? PREFIXES[type as ItemType] : undefined;
}

/** A new id. */
export function makeItemId(type: ItemType, origin: ItemOrigin, random: Random): string {
  const start = makeId(PREFIXES[type], random, RANDOM_LENGTH, HEX_CHARACTERS);
  return start + checkOf(start, origin);
}

/** The origin of an item, if its id is one that this server has made. */
export function readItemId(id: string): ItemOrigin | undefined {
  const start = id.slice(0, -CHECK_LENGTH);
  return ORIGINS.find((origin) => id === start + checkOf(start, origin));
}

function checkOf(start: string, { isStored, followsReasoning }: ItemOrigin): string {
  const origin = `${isStored} ${followsReasoning}`;
  return createHash("sha256").update(`${start} ${origin}`).digest("hex").slice(0, CHECK_LENGTH);
}
