import type { Message, PlacedBlock } from "./messages.js";
import type { CacheTtl } from "./wire.js";

/**
 * Where the prompt cache is told to keep a prefix. With the mark at the end of tools and system
 * these are at most the four that a request may have (A12).
 *
 * - the end of the locked part, which never moves,
 * - the end of the request, for the next one to find,
 * - the end of the last one, so that it is found also past the server's look-back of 20 blocks.
 */
export function cacheMarks(
  messages: readonly Message[],
  lockedItemCount: number,
): ReadonlySet<PlacedBlock> {
  const marks = new Set<PlacedBlock>();
  const locked = lastCacheable(messages, (block) => isLocked(block, lockedItemCount));
  if (locked !== undefined) marks.add(locked);
  const isAfterLock = (block: PlacedBlock): boolean => block.position >= lockedItemCount;
  const end = lastCacheable(messages, isAfterLock);
  if (end !== undefined) marks.add(end);
  const lastAnswer = messages.findLastIndex((message) => message.role === "assistant");
  const previousEnd = lastCacheable(messages.slice(0, Math.max(lastAnswer, 0)), isAfterLock);
  if (previousEnd !== undefined) marks.add(previousEnd);
  return marks;
}

/** A serialised block or tool with the mark on it. */
export function withMark(json: string, ttl: CacheTtl | undefined): string {
  const control = ttl === undefined ? { type: "ephemeral" } : { type: "ephemeral", ttl };
  return `${json.slice(0, -1)},"cache_control":${JSON.stringify(control)}}`;
}

function isLocked(block: PlacedBlock, lockedItemCount: number): boolean {
  return block.position >= 0 && block.position < lockedItemCount;
}

/** Thinking cannot carry a mark, and what we do not understand is sent untouched. */
function lastCacheable(
  messages: readonly Message[],
  isWanted: (block: PlacedBlock) => boolean,
): PlacedBlock | undefined {
  for (const { blocks } of messages.toReversed()) {
    const found = blocks.findLast((block) => block.kind === "plain" && isWanted(block));
    if (found !== undefined) return found;
  }
  return undefined;
}
