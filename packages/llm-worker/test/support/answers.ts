import { expect } from "vitest";
import type { BlobStoreLike } from "../../src/blob/blob-store.js";
import type { BlobAnswer } from "../../src/inspect/answer.js";
import { readBlob } from "../../src/inspect/read.js";
import { BLOB_ID } from "./byte-store.js";

/** Reads the blob of a byte store. */
export function read(store: BlobStoreLike, selector?: string): Promise<BlobAnswer> {
  return readBlob(store, BLOB_ID, selector);
}

/** What an answer shows under its header. */
export function body({ text }: BlobAnswer): string {
  return text.slice(text.indexOf("\n") + 1);
}

/** Checks what holds for every answer: its size, its first line, and that it is well-formed. */
export function expectAnswerForm(answer: BlobAnswer, maxAnswerBytes = 16_384): void {
  expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(maxAnswerBytes);
  expect(answer.text.isWellFormed()).toBe(true);
  expect(answer.text.split("\n", 1)[0]).toBe(answer.header);
  if (answer.isError) {
    expect(answer.header).toMatch(/^inspect error \([a-z_]+\): ./);
  } else if (answer.next === undefined) {
    expect(answer.header).toMatch(/^\[blob:.+\] \w+ \| .+ \| complete$/);
  } else {
    expect(answer.header.endsWith(` | next: ${answer.next}`)).toBe(true);
  }
}
