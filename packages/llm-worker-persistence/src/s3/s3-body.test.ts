import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { readBody } from "./s3-body.js";
import type { S3Body } from "./s3-sdk.js";

const IDLE_MS = 30;

/** Gives the chunks, and then neither more nor an end. */
async function* stalling(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
  await new Promise(() => undefined);
}

/** What an HTTP handler on `fetch` gives: it has nothing that would end it. */
function webStream(...chunks: readonly Uint8Array[]): S3Body {
  return new ReadableStream<Uint8Array>({
    start: (controller) => chunks.forEach((chunk) => controller.enqueue(chunk)),
  });
}

describe("a body that gives no more", () => {
  test.each<[string, (...chunks: readonly Uint8Array[]) => S3Body]>([
    ["a stream of Node", (...chunks) => Readable.from(stalling(...chunks))],
    ["a stream of the web", webStream],
    ["a generator", stalling],
  ])("is given up, and what has come is kept: %s", async (_title, bodyOf) => {
    const target = new Uint8Array(4);
    const outcome = await readBody(bodyOf(Buffer.from("ab"), Buffer.from("c")), target, IDLE_MS);
    expect(outcome).toMatchObject({ filled: 3, error: { reason: "IdleTimeout" } });
    expect(Buffer.from(target).toString("latin1")).toBe("abc\0");
  });
});

test("a body that is longer than expected is left", async () => {
  const body = stalling(Buffer.from("abc"));
  expect(await readBody(body, new Uint8Array(2), IDLE_MS)).toEqual({ filled: 3 });
});
