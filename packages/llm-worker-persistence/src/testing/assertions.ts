import assert from "node:assert/strict";
import { contentBytes } from "llm-worker/blob";
import type { BlobEntry, BlobStoreErrorCode, Content } from "llm-worker/blob";

/** A well-formed id that no store hands out: its time is the year 1970. */
export const UNKNOWN_ID = "00000000-0000-7000-8000-000000000000";

/** Fails unless `doing` rejects with an error that has this `code`. */
export async function assertRejectsWith(
  code: BlobStoreErrorCode,
  doing: () => Promise<unknown>,
): Promise<void> {
  await assert.rejects(doing, (error: unknown) => {
    assert.ok(error instanceof Error, "what is thrown has to be an Error");
    assert.equal("code" in error ? error.code : undefined, code);
    return true;
  });
}

/** Fails unless both hold the same bytes. The message does not print a megabyte. */
export function assertSameBytes(actual: Uint8Array, expected: Uint8Array): void {
  assert.equal(actual.length, expected.length, "number of bytes");
  assert.ok(Buffer.compare(actual, expected) === 0, "the bytes differ");
}

/** Fails unless both are of the same type and hold the same bytes. */
export function assertSameContent(actual: Content, expected: Content): void {
  assert.equal(actual.type, expected.type);
  assertSameBytes(contentBytes(actual), contentBytes(expected));
  if (expected.type === "binary" && actual.type === "binary") {
    assert.equal(actual.mediaType, expected.mediaType);
  }
}

/** All of a listing. */
export async function entriesOf(listing: AsyncIterable<BlobEntry>): Promise<BlobEntry[]> {
  const entries: BlobEntry[] = [];
  for await (const entry of listing) entries.push(entry);
  return entries;
}
