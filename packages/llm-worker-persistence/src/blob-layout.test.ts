import type { BlobStat } from "llm-worker/blob";
import { expect, test } from "vitest";
import { createBlobId } from "./blob-id.js";
import { needsSidecar, parseBlobFileName } from "./blob-layout.js";

const text: BlobStat = { kind: "text", byteCount: 10, mediaType: "text/plain; charset=utf-8" };
const binary: BlobStat = { kind: "binary", byteCount: 10, mediaType: "application/octet-stream" };

test("a small blob of the usual media type is one file", () => {
  expect(needsSidecar(text, undefined)).toBe(false);
  expect(
    needsSidecar({ ...text, kind: "json_array", mediaType: "application/json" }, undefined),
  ).toBe(false);
  expect(needsSidecar({ ...binary, byteCount: 1e9 }, undefined)).toBe(false);
});

test("what the payload cannot tell, or tells only to who reads much, is in a sidecar", () => {
  expect(needsSidecar({ ...binary, mediaType: "image/png" }, undefined)).toBe(true);
  expect(needsSidecar({ ...text, validUtf8: false }, undefined)).toBe(true);
  expect(needsSidecar({ ...text, byteCount: 256 * 1024 }, undefined)).toBe(true);
  expect(needsSidecar(text, { type: "text", stride: 1, offsets: new Float64Array() })).toBe(true);
});

test("only names that a store makes are taken for blobs", () => {
  const id = createBlobId();
  expect(parseBlobFileName(`${id}.txt`)).toEqual({ id, extension: ".txt" });
  expect(parseBlobFileName(`${id}.index`)).toEqual({ id, extension: ".index" });
  for (const name of [
    id,
    `${id}.`,
    `${id}.md`,
    `${id}.txt.tmp`,
    `.${id}.tmp`,
    `x${id}.txt`,
    "notes.txt",
    "",
  ]) {
    expect(parseBlobFileName(name)).toBeUndefined();
  }
});
