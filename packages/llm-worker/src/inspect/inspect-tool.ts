import type { BlobStoreLike } from "../blob/blob-store.js";
import { plainInput } from "../tool/plain-input.js";
import { defineTool, type Tool } from "../tool/tool.js";
import { errorAnswer } from "./answer.js";
import { InspectError } from "./inspect-error.js";
import { checkMaxAnswerBytes, readBlob } from "./read.js";

/** Name of the tool that the worker registers with a store. */
export const INSPECT_TOOL_NAME = "inspect";

/** What {@link createInspectTool} needs. */
export interface InspectToolOptions {
  readonly store: BlobStoreLike;
  /** Default 16,384; at least 1024. */
  readonly maxAnswerBytes?: number | undefined;
  /** Whether this session has seen the id. An id it has not seen gives no rights. Default: any id. */
  readonly isKnownId?: ((id: string) => boolean) | undefined;
}

/** What the tool's `execute` resolves with. It is the whole answer, and is never stored. */
export interface InspectAnswer {
  readonly text: string;
  readonly isError: boolean;
}

const DESCRIPTION = `Reads a stored tool output: the id is in its [blob:ID] line. Without selector: from the beginning.
lines:20-50 text, from 1, inclusive. slice:3..8 entries of an array or ndjson, from 0, end excluded. key:NAME member of an object.
bytes:0-4096 any. find:TEXT literal search, gives places. In a row: key:results | slice:0..5.
Quote texts that have | or quotes: find:"a | b". If an answer ends in next:, that selector shows what follows.`;

/**
 * Makes the tool `inspect`, with which a model reads stored outputs back. Its `execute` resolves
 * with an {@link InspectAnswer}, whatever goes wrong.
 *
 * @throws OutputLimitsError if `maxAnswerBytes` is less than 1024
 */
export function createInspectTool(options: InspectToolOptions): Tool {
  const { store, isKnownId } = options;
  const maxAnswerBytes = checkMaxAnswerBytes(options.maxAnswerBytes);
  const tool = defineTool({
    name: INSPECT_TOOL_NAME,
    description: DESCRIPTION,
    input: plainInput({
      blob_id: { type: "string", description: "ID from a [blob:ID] line" },
      selector: { type: "string", isOptional: true },
    }),
    async execute({ blob_id, selector }, { signal }): Promise<InspectAnswer> {
      const id = bareId(blob_id);
      if (isKnownId !== undefined && !isKnownId(id)) return unknownId(maxAnswerBytes);
      const { text, isError } = await readBlob(store, id, selector, { maxAnswerBytes, signal });
      return { text, isError };
    },
  });
  return { ...tool, readsBack: true };
}

/** `[blob:ID]` and `blob:ID`, as models copy them from a summary. */
function bareId(text: string): string {
  return /^\s*\[?blob:([^\]]*)\]?\s*$/.exec(text)?.[1]?.trim() ?? text.trim();
}

function unknownId(maxAnswerBytes: number): InspectAnswer {
  const error = new InspectError(
    "forbidden_id",
    "this session has not seen that blob id; copy the id from a [blob:...] line of this conversation",
  );
  const { text, isError } = errorAnswer(error, maxAnswerBytes);
  return { text, isError };
}
