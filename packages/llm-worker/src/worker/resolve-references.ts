import type { BlobId, BlobStoreLike } from "../blob/blob-store.js";
import { errorMessage } from "../errors.js";
import type { BlobAnswer } from "../inspect/answer.js";
import { readBlob } from "../inspect/read.js";
import { type Deadline, withDeadline } from "../output/store-deadline.js";
import type { PreparedCall } from "../tool/tool-server.js";

/** A reference may stand for at most this many bytes: the tool gets them as one string. */
export const MAX_REFERENCE_BYTES: number = 64 * 1024 * 1024;

export interface ReferenceScope {
  readonly store: BlobStoreLike | undefined;
  readonly knownBlobIds: ReadonlySet<BlobId>;
  /** Within which the store has to give each of them. */
  readonly deadline: Deadline;
}

/**
 * Puts stored text in the place of each `blob:<id>` that the model gave for a parameter that takes
 * references. What cannot be read is an outcome that the model can act on.
 */
export async function resolveReferences(
  prepared: PreparedCall,
  scope: ReferenceScope,
): Promise<PreparedCall> {
  if (!prepared.ok || prepared.tool.blobParameters === undefined) return prepared;
  // Tools that take references have an object for input: `defineTool` checked that.
  const input = { ...(prepared.input as Record<string, unknown>) };
  for (const parameter of prepared.tool.blobParameters) {
    const reference = parseReference(input[parameter]);
    if (reference === undefined) continue;
    const read = await readReference(reference, scope);
    if ("problem" in read) {
      const text = `parameter ${parameter}: ${read.problem}`;
      return { ok: false, tool: prepared.tool, code: "invalid_arguments", text };
    }
    input[parameter] = read.text;
  }
  return { ...prepared, input };
}

interface Reference {
  readonly id: BlobId;
  readonly selector: string;
}

/** `blob:ID`, `[blob:ID]` as it stands in a summary, either with `| SELECTOR` behind it. */
function parseReference(value: unknown): Reference | undefined {
  if (typeof value !== "string") return undefined;
  const match = /^\s*(?:\[blob:([^\]\s|]+)\]|blob:([^\s|]+))\s*(?:\|\s*([^]*\S))?\s*$/.exec(value);
  if (match === null) return undefined;
  return { id: match[1] ?? match[2] ?? "", selector: match[3] ?? "" };
}

async function readReference(
  { id, selector }: Reference,
  { store, knownBlobIds, deadline }: ReferenceScope,
): Promise<{ readonly text: string } | { readonly problem: string }> {
  if (store === undefined || !knownBlobIds.has(id)) {
    return { problem: "this session has not seen that blob id; copy it from a [blob:...] line" };
  }
  const options = { maxAnswerBytes: MAX_REFERENCE_BYTES, signal: deadline.signal };
  let answer: BlobAnswer;
  try {
    answer = await withDeadline(() => readBlob(store, id, selector, options), deadline);
  } catch (error) {
    return { problem: errorMessage(error) };
  }
  const { isError, text, payload, header, next } = answer;
  if (isError) return { problem: text };
  if (next !== undefined) {
    return {
      problem: `${header.split(" | next:")[0] ?? id} is too large to be passed on: select a part`,
    };
  }
  return { text: Buffer.from(payload).toString() };
}
