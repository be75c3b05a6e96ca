import { expect, test } from "vitest";
import { createBlobId, isBlobId } from "../blob-id.js";
import { PAYLOAD_EXTENSIONS } from "../blob-layout.js";
import { blobIdHint, createS3BlobId } from "./s3-blob-id.js";

test("an id says where its blob is, and is an id like any other", () => {
  for (const extension of PAYLOAD_EXTENSIONS) {
    for (const sidecar of [true, false]) {
      const id = createS3BlobId({ extension, sidecar });
      expect(isBlobId(id)).toBe(true);
      expect(blobIdHint(id)).toEqual({ extension, sidecar });
    }
  }
});

test("any id says something", () => {
  for (const digit of "0123456789abcdef") {
    const { extension } = blobIdHint(createBlobId().slice(0, -1) + digit);
    expect(PAYLOAD_EXTENSIONS).toContain(extension);
  }
});

test("ids sort in the order in which they were made", () => {
  const ids = Array.from({ length: 1_000 }, (_, number) =>
    createS3BlobId({ extension: number % 2 === 0 ? ".bin" : ".txt", sidecar: number % 3 === 0 }),
  );
  expect(ids.toSorted()).toEqual(ids);
});
