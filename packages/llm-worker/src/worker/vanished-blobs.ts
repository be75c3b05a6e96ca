import type { BlobId, BlobStoreLike } from "../blob/blob-store.js";
import {
  type BlobRef,
  type Item,
  messageText,
  type MessageItem,
  userMessage,
} from "../model/item.js";
import { type Deadline, StoreTimeoutError, withDeadline } from "../output/store-deadline.js";
import { Semaphore } from "../tool/semaphore.js";

/** Blobs that are asked for at the same time. */
const MAX_CONCURRENT_CHECKS = 16;
/** So many are named one by one; of more the model is told how many. */
const MAX_NAMED = 20;

/**
 * Which of the blobs that a history names no longer exist. A store that cannot say counts as having
 * it: `inspect` will find out. Once it has not answered in time, it is not asked any more.
 */
export async function findVanishedBlobs(
  named: Iterable<BlobRef>,
  store: BlobStoreLike,
  deadline: Deadline & { readonly signal: AbortSignal },
): Promise<readonly BlobRef[]> {
  const refs = new Map<string, BlobRef>();
  for (const ref of named) refs.set(ref.id, ref);
  const places = new Semaphore(MAX_CONCURRENT_CHECKS);
  let isAnswering = true;
  const exists = async (id: BlobId): Promise<boolean> => {
    try {
      return !isAnswering || (await withDeadline(() => store.exists(id), deadline));
    } catch (error) {
      if (error instanceof StoreTimeoutError) isAnswering = false;
      return true;
    }
  };
  const checked = await Promise.all(
    [...refs.values()].map(async (ref) => {
      const release = await places.acquire(deadline.signal);
      try {
        deadline.signal.throwIfAborted();
        return (await exists(ref.id)) ? undefined : ref;
      } finally {
        release?.();
      }
    }),
  );
  return checked.filter((ref) => ref !== undefined);
}

const NOTE_START =
  "Note: these blobs no longer exist and cannot be inspected. " +
  "Call the tool again if you need its output.";

/** Tells the model what it can no longer read back, and what that was. */
export function vanishedNote(refs: readonly BlobRef[]): MessageItem {
  const named = refs.slice(0, MAX_NAMED).map((ref) => `[blob:${ref.id}] ${describe(ref)}`);
  if (refs.length > MAX_NAMED) named.push(`and ${refs.length - MAX_NAMED} more`);
  return userMessage(`${NOTE_START}\n${named.join("\n")}`);
}

/** The blobs of which such notes have told: a session that is restored often is told once. */
export function toldBlobIds(items: Iterable<Item>): ReadonlySet<BlobId> {
  const told = new Set<BlobId>();
  for (const item of items) {
    if (item.type !== "message" || item.role !== "user") continue;
    const text = messageText(item);
    if (!text.startsWith(NOTE_START)) continue;
    for (const [, id = ""] of text.matchAll(/^\[blob:([^\]]+)\]/gm)) told.add(id);
  }
  return told;
}

function describe({ kind, count, byteCount }: BlobRef): string {
  return count === undefined
    ? `${kind} | ${byteCount} bytes`
    : `${kind} | ${count} | ${byteCount} bytes`;
}
