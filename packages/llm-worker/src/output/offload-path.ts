import { sha256Hex } from "../sha256.js";

/** What the path of an offloaded output is made of. */
export interface OffloadedCall {
  /** As the provider sent it: any text, not safe in a path. */
  readonly callId: string;
  readonly toolName: string;
  /** The call id as the name of a file: letters, digits, `_` and `-` only, at most 64. */
  readonly fileName: string;
}

/** Directory of the paths that `offloadToFile` makes by itself. */
export const OFFLOAD_DIRECTORY = "/large_tool_result";

/** `/large_tool_result/{callId}`, the call id made safe. */
export function defaultOffloadPath({ fileName }: OffloadedCall): string {
  return `${OFFLOAD_DIRECTORY}/${fileName}`;
}

const SAFE_NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** Names of devices, which Windows takes for no file. */
const DEVICE_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;
const KEPT_CHARS = 40;
const HASH_CHARS = 12;

/**
 * A call id as the name of a file. One that is no safe name by itself is given a part of its hash, so
 * that two of them are told apart.
 */
export function fileNameOf(callId: string): string {
  if (SAFE_NAME.test(callId) && !DEVICE_NAME.test(callId)) return callId;
  const kept = callId.slice(0, KEPT_CHARS).replaceAll(/[^A-Za-z0-9_-]+/g, "_");
  const hash = sha256Hex(callId.toWellFormed());
  return `${kept === "" ? "call" : kept}-${hash.slice(0, HASH_CHARS)}`;
}
