import { forEachAtOnce } from "../concurrency-limit.js";
import type { S3Objects } from "./s3-objects.js";
import type { SessionKeys } from "./session-keys.js";
import { LogViewBuilder } from "./session-log-view.js";

const MAX_DELETES = 16;

/** Removes objects, several at a time. */
export async function deleteAll(
  objects: S3Objects,
  entries: readonly { readonly key: string }[],
): Promise<void> {
  await forEachAtOnce(entries, MAX_DELETES, ({ key }) => objects.delete(key));
}

/**
 * Removes a log and its trace. The beginning goes first: from then on there is no such log.
 *
 * @returns whether there was something
 */
export async function removeSession(
  objects: S3Objects,
  keys: SessionKeys,
  id: string,
): Promise<boolean> {
  let found = false;
  for (;;) {
    const builder = new LogViewBuilder();
    const all: { readonly key: string }[] = [];
    for await (const entry of objects.list(keys.log(id))) {
      all.push(entry);
      const key = keys.parse(entry.key);
      if (key) builder.add(entry, key);
    }
    // Again until nothing is left: somebody may be appending, or compacting, right now.
    if (all.length === 0) break;
    found = true;
    const view = builder.build();
    if (view) {
      await deleteAll(objects, view.leftovers);
      const first = view.merged ?? view.appends[0];
      if (first) await objects.delete(first.key);
    }
    await deleteAll(objects, all);
  }
  const traces: { readonly key: string }[] = [];
  for await (const entry of objects.list(keys.traces(id))) traces.push(entry);
  await deleteAll(objects, traces);
  return found;
}
