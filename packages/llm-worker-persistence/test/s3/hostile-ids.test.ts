import fc from "fast-check";
import { expect, test } from "vitest";
import { createBlobId } from "../../src/blob-id.js";
import { S3BlobStore, S3FileBackend, type S3ClientLike } from "../../src/s3/index.js";
import { MALFORMED_IDS } from "../../src/testing/id-cases.js";

const HOSTILE_IDS = 10_000;

/** A client that counts what it is asked, and would answer anything. */
function countingClient(): { readonly client: S3ClientLike; readonly asked: unknown[] } {
  const asked: unknown[] = [];
  const send = (command: unknown): Promise<never> => {
    asked.push(command);
    return Promise.reject(new Error("asked"));
  };
  return { client: { send } as unknown as S3ClientLike, asked };
}

test("F15: an id that no store hands out never becomes a key", async () => {
  const { client, asked } = countingClient();
  const store = new S3BlobStore({ bucket: "b", prefix: "p", client });
  const refuses = async (id: unknown): Promise<void> => {
    for (const method of ["load", "exists", "stat", "openReader", "delete"] as const) {
      await expect(store[method](id as string)).rejects.toMatchObject({ code: "invalid_id" });
    }
  };
  for (const id of MALFORMED_IDS) await refuses(id);
  const segment = fc.constantFrom("..", ".", "/", "%2e", "\u0000", "p", "?", "#", createBlobId());
  await fc.assert(
    fc.asyncProperty(fc.array(segment, { minLength: 2 }), (segments) => refuses(segments.join(""))),
    { numRuns: HOSTILE_IDS / 2 },
  );
  await fc.assert(fc.asyncProperty(fc.anything(), refuses), { numRuns: HOSTILE_IDS / 2 });
  expect(asked).toEqual([]);
});

test("a path that leads out never becomes a key", async () => {
  const { client, asked } = countingClient();
  const backend = new S3FileBackend({ bucket: "b", prefix: "p", client });
  const part = fc.constantFrom("a", "large_tool_result", "/", "%2e");
  const path = fc
    .tuple(fc.array(part), fc.constantFrom("..", ".", "\\", "\u0000", "a:b"), fc.array(part))
    .map(([before, middle, after]) => `${before.join("/")}/${middle}/${after.join("/")}`);
  await fc.assert(
    fc.asyncProperty(path, async (given) => {
      await expect(backend.stat(given)).rejects.toMatchObject({ code: "invalid_id" });
      await expect(backend.read(given, 0, 1)).rejects.toMatchObject({ code: "invalid_id" });
    }),
    { numRuns: HOSTILE_IDS / 2 },
  );
  expect(asked).toEqual([]);
});
