import type { Content } from "../blob/content.js";
import { OutputLimitsError, unreachable } from "../errors.js";
import type { MediaPart } from "../model/item.js";
import { assertToolName } from "../tool/tool.js";
import { describeContent } from "./describe.js";
import type { FileBackend } from "./file-backend.js";
import { describeMedia, splitMedia } from "./media-result.js";
import { defaultOffloadPath, type OffloadedCall } from "./offload-path.js";
import {
  keepBytes,
  keepStream,
  keepText,
  type Offloading,
  offloadValue,
} from "./offload-output.js";
import type { ToolOutputPolicy, ToolResultFields } from "./policy.js";
import { checkReadFileBytes, createReadFileTool, READ_FILE_TOOL_NAME } from "./read-file-tool.js";
import { inlineFields, ownWords, textOfContent } from "./store-output.js";
import { bytesOf, contentOf, textOf, wellFormed } from "./tool-output.js";
import { readToolResult } from "./tool-result.js";

/** An output of more tokens goes to a file, unless told otherwise. */
export const DEFAULT_TOKEN_LIMIT = 20_000;

/** UTF-16 units that are taken for a token where there is no `tokenCounter`. */
export const CHARS_PER_TOKEN = 4;

/** Where {@link offloadToFile} puts outputs, and which. */
export interface OffloadToFileOptions {
  /** Where outputs go. */
  readonly backend: FileBackend;
  /** An output of more tokens goes to a file. Default 20 000. */
  readonly tokenLimit?: number | undefined;
  /**
   * Tokens of a text. Default: a token for every 4 characters. Of a stream it gets longer and longer
   * beginnings, until one is over the limit.
   */
  readonly tokenCounter?: ((text: string) => number | Promise<number>) | undefined;
  /**
   * Path of an output in the backend. Default: `/large_tool_result/{callId}`. Call ids come from
   * outside: use `fileName` to build a path from one.
   */
  readonly pathGenerator?: ((call: OffloadedCall) => string) | undefined;
  /** Name of the tool that reads the files. Default `read_file`. */
  readonly readFileToolName?: string | undefined;
  /** An answer of that tool has at most so many bytes. Default 16 384, at least 1024. */
  readonly maxAnswerBytes?: number | undefined;
  /**
   * What a failing backend does. `fallback` (default): the history gets both ends of the output,
   * marked as incomplete. `throw`: the policy rejects with an `OutputStoreError`.
   */
  readonly onStoreFailure?: "fallback" | "throw" | undefined;
}

/**
 * A policy that leaves outputs in the history as they are up to a limit in tokens. A longer one is
 * written to a file; the history gets a notice with the path and the first ten lines, and the model
 * reads the file with the tool `read_file`, which the worker registers. Bytes that are no text go to
 * a file whatever their size, streams while they are produced.
 *
 * A conversation can read the files that its own results name, and no others, also when several
 * conversations share a backend.
 *
 * @throws OutputLimitsError if `tokenLimit` or `maxAnswerBytes` cannot be kept; ToolDefinitionError
 * if no provider would take `readFileToolName`
 */
export function offloadToFile(options: OffloadToFileOptions): ToolOutputPolicy {
  const { backend, readFileToolName = READ_FILE_TOOL_NAME } = options;
  const { tokenLimit = DEFAULT_TOKEN_LIMIT, tokenCounter } = options;
  const { pathGenerator = defaultOffloadPath, onStoreFailure = "fallback" } = options;
  assertToolName(readFileToolName);
  if (!Number.isSafeInteger(tokenLimit) || tokenLimit < 0) {
    throw new OutputLimitsError(
      `tokenLimit is ${String(tokenLimit)}: use a whole number of at least 0`,
    );
  }
  const maxAnswerBytes = checkReadFileBytes(options.maxAnswerBytes);
  const maxUnits = tokenLimit * CHARS_PER_TOKEN;
  const settings = {
    backend,
    pathGenerator,
    readFileToolName,
    onStoreFailure,
    surelyTooLongBytes: tokenCounter === undefined ? 3 * maxUnits : undefined,
    async isTooLong(text: string): Promise<boolean> {
      if (tokenCounter === undefined) return text.length > maxUnits;
      return (await tokenCounter(text)) > tokenLimit;
    },
  };
  return {
    name: "offload_to_file",
    apply: (value, context) => keep(value, { ...settings, context }),
    createTools: (history) => [
      createReadFileTool({ backend, name: readFileToolName, maxAnswerBytes, history }),
    ],
  };
}

async function keep(value: unknown, offloading: Offloading): Promise<ToolResultFields> {
  const result = readToolResult(value);
  switch (result.type) {
    case "value": {
      const bytes = bytesOf(result.value);
      if (bytes !== undefined) return keepBytes(bytes, offloading);
      return keepText(textOf(result.value), offloading);
    }
    case "stream":
      return keepStream(result.stream, offloading);
    case "parts":
      return keepParts(result.text, result.media, offloading);
    case "summarized": {
      const summary = wellFormed(result.summary);
      if (result.content === undefined) return keepText(summary, offloading);
      return keepSummarized(summary, contentOf(result.content), offloading);
    }
    case "output": {
      const { output } = result;
      if (output.kind === "inline")
        return inlineFields(wellFormed(output.text), offloading.context);
      return keepExplicit(wellFormed(output.summary), contentOf(output.content), offloading);
    }
    default:
      return unreachable(result);
  }
}

/** The tool's own summary with what it is about: both in the history if they fit. */
async function keepSummarized(
  summary: string,
  content: Content,
  offloading: Offloading,
): Promise<ToolResultFields> {
  const text = textOfContent(content);
  if (text !== undefined && !(await offloading.isTooLong(`${summary}\n${text}`))) {
    return { ...inlineFields(summary, offloading.context), content: text };
  }
  return offloadContent(content, offloading, summary);
}

/** The tool has decided: to a file whatever the size. */
function keepExplicit(
  summary: string,
  content: Content,
  offloading: Offloading,
): Promise<ToolResultFields> {
  return offloadContent(content, offloading, ownWords(summary, describeContent(content, 0)));
}

/** Text through the usual door; media beside it, or, where they are too large, as files. */
async function keepParts(
  text: string,
  media: readonly MediaPart[],
  offloading: Offloading,
): Promise<ToolResultFields> {
  const { native, oversized } = splitMedia(media);
  const results: ToolResultFields[] = [];
  if (text !== "") results.push(await keepText(textOf(text), offloading));
  for (const { data } of oversized) {
    results.push(await offloadValue(Buffer.from(data, "base64"), offloading));
  }
  if (results.length === 0) {
    results.push(inlineFields(native.map(describeMedia).join("\n"), offloading.context));
  }
  const files = results.flatMap((result) => result.files ?? []);
  return {
    summary: results.map((result) => result.summary).join("\n"),
    ...(native.length === 0 ? {} : { parts: native }),
    ...(files.length === 0 ? {} : { files }),
    ...(offloading.context.isError ? { isError: true } : {}),
  };
}

function offloadContent(
  content: Content,
  offloading: Offloading,
  own: string | undefined,
): Promise<ToolResultFields> {
  const value = content.type === "binary" ? content.bytes : (textOfContent(content) ?? "");
  return offloadValue(value, offloading, { own });
}
