import type { Content } from "../blob/content.js";
import { unreachable } from "../errors.js";
import type { MediaPart } from "../model/item.js";
import { describeContent } from "./describe.js";
import { describeMedia, splitMedia } from "./media-result.js";
import type { ToolOutputPolicy, ToolResultFields } from "./policy.js";
import type { Storing } from "./store-failure.js";
import { inlineFields, keepStored, keepSummarized, keepValue, ownWords } from "./store-output.js";
import { keepStream } from "./store-stream.js";
import { summaryAndContent } from "./summary-and-content.js";
import { contentOf, textOf, wellFormed } from "./tool-output.js";
import { readToolResult } from "./tool-result.js";

/** What can be told of {@link lazyLoad}. */
export interface LazyLoadOptions {
  /**
   * What a failing store does. `fallback` (default): the history gets both ends of the output,
   * marked as incomplete. `throw`: the policy rejects with an `OutputStoreError`.
   */
  readonly onStoreFailure?: "fallback" | "throw" | undefined;
}

/**
 * The default policy with a store: an output over `inlineMaxBytes` goes to the store, the history
 * gets a summary of at most `summaryMaxBytes` that begins with `[blob:<id>]`, and the model reads
 * back what it wants with `inspect`. An output is not stored where the summary would save less than
 * half of it. Streams go to the store while they are produced. Images and files go to the model
 * natively, or to the store if they are larger than {@link MAX_NATIVE_MEDIA_CHARS}.
 *
 * Without a store in the context it does what {@link summaryAndContent} does: nothing is lost.
 */
export function lazyLoad(options: LazyLoadOptions = {}): ToolOutputPolicy {
  const { onStoreFailure = "fallback" } = options;
  const storeless = summaryAndContent();
  return {
    name: "lazy_load",
    async apply(value, context) {
      const { store } = context;
      if (store === undefined) return storeless.apply(value, context);
      return keep(value, { context, store, onStoreFailure });
    },
  };
}

async function keep(value: unknown, storing: Storing): Promise<ToolResultFields> {
  const { context } = storing;
  const result = readToolResult(value);
  switch (result.type) {
    case "value":
      return keepValue(result.value, storing);
    case "stream":
      return keepStream(result.stream, storing);
    case "parts":
      return keepParts(result.text, result.media, storing);
    case "summarized": {
      const summary = wellFormed(result.summary);
      return result.content === undefined
        ? keepValue(summary, storing)
        : keepSummarized(summary, contentOf(result.content), storing);
    }
    case "output": {
      const { output } = result;
      if (output.kind === "inline") return inlineFields(wellFormed(output.text), context);
      return keepExplicit(wellFormed(output.summary), contentOf(output.content), storing);
    }
    default:
      return unreachable(result);
  }
}

/** The tool has decided: stored whatever the size. */
function keepExplicit(
  summary: string,
  content: Content,
  storing: Storing,
): Promise<ToolResultFields> {
  const overview = describeContent(content, storing.context.limits.summaryMaxBytes);
  return keepStored({ content, overview }, storing, { own: ownWords(summary, overview) });
}

/** Text through the usual door; media beside it, or, where they are too large, as blobs. */
async function keepParts(
  text: string,
  media: readonly MediaPart[],
  storing: Storing,
): Promise<ToolResultFields> {
  const { native, oversized } = splitMedia(media);
  const results: ToolResultFields[] = [];
  if (text !== "") results.push(await keepValue(textOf(text), storing));
  for (const { mediaType, data } of oversized) {
    const content: Content = { type: "binary", bytes: Buffer.from(data, "base64"), mediaType };
    results.push(await keepExplicit("", content, storing));
  }
  if (results.length === 0) {
    results.push(inlineFields(native.map(describeMedia).join("\n"), storing.context));
  }
  const blob = results.find((result) => result.blob !== undefined)?.blob;
  return {
    summary: results.map((result) => result.summary).join("\n"),
    ...(native.length === 0 ? {} : { parts: native }),
    ...(blob === undefined ? {} : { blob }),
    ...(storing.context.isError ? { isError: true } : {}),
  };
}
