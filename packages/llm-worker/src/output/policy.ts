import type { BlobStoreErrorCode, BlobStoreLike } from "../blob/blob-store.js";
import type { Item, ToolResultItem } from "../model/item.js";
import type { Tool } from "../tool/tool.js";
import type { OutputLimits } from "./output-limits.js";

/** What enters the history for one tool result; the worker adds `type` and `callId`. */
export type ToolResultFields = Omit<ToolResultItem, "type" | "callId">;

/** What a policy reports while it works. Sizes in bytes. */
export type OutputEvent =
  /** The output is in the store and the history holds its summary. */
  | {
      readonly type: "output_stored";
      readonly callId: string;
      readonly toolName: string;
      readonly blobId: string;
      readonly byteCount: number;
      readonly summaryBytes: number;
    }
  /** The output is in a file and the history holds the notice that says so. */
  | {
      readonly type: "output_offloaded";
      readonly callId: string;
      readonly toolName: string;
      readonly path: string;
      readonly byteCount: number;
      readonly summaryBytes: number;
    }
  /** The store failed; the model gets a part of the output, marked as incomplete. */
  | {
      readonly type: "output_store_failed";
      readonly callId: string;
      readonly toolName: string;
      readonly code: BlobStoreErrorCode | "timeout";
      readonly message: string;
      readonly byteCount: number;
      readonly keptBytes: number;
    };

/** What a policy gets to know about the result it decides on. */
export interface PolicyContext {
  readonly callId: string;
  readonly toolName: string;
  /** The value is the text of an error; it goes through the same door with its flag kept. */
  readonly isError: boolean;
  readonly limits: OutputLimits;
  readonly store?: BlobStoreLike | undefined;
  readonly signal?: AbortSignal | undefined;
  report(event: OutputEvent): void;
}

/** Decides what of a tool's result enters the history, and where the rest goes. */
export interface ToolOutputPolicy {
  readonly name: string;
  /**
   * @param value whatever the tool returned: text, JSON, bytes, a `ToolOutput`,
   * `{ summary, content? }`, an async iterable of strings or bytes, an image or file part, or an
   * array of text, image and file parts
   */
  apply(value: unknown, context: PolicyContext): Promise<ToolResultFields>;
  /**
   * Makes the tools with which a model reads back what this policy keeps out of the history. A worker
   * registers them when it is made.
   *
   * @param history the worker's items at the moment of the call
   */
  createTools?(history: () => readonly Item[]): readonly Tool[];
}
