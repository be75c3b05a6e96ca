import type { Item } from "../model/item.js";

/**
 * Whether two items are sent as the same bytes. A hook that maps the items, to take secrets out for
 * instance, makes new ones each time; only those are compared by what they hold.
 */
export function isSameItem(before: Item | undefined, after: Item | undefined): boolean {
  return before === after || JSON.stringify(before) === JSON.stringify(after);
}
