import type { BlobStoreLike } from "../../src/blob/blob-store.js";
import type { BlobAnswer } from "../../src/inspect/answer.js";
import { readBlob, type ReadBlobOptions } from "../../src/inspect/read.js";

/** All answers from the first to the one that is complete, and their payloads in a row. */
export interface Walk {
  readonly answers: readonly BlobAnswer[];
  readonly bytes: Buffer;
}

/** Follows the next selectors of a blob. Stops at an error. */
export async function walk(
  store: BlobStoreLike,
  id: string,
  options: ReadBlobOptions & { readonly selector?: string } = {},
): Promise<Walk> {
  const answers: BlobAnswer[] = [];
  let selector = options.selector;
  do {
    const answer = await readBlob(store, id, selector, options);
    answers.push(answer);
    if (answer.next !== undefined && answer.next === selector) throw new Error("walks in a circle");
    selector = answer.next;
  } while (selector !== undefined);
  return { answers, bytes: Buffer.concat(answers.map(({ payload }) => payload)) };
}
