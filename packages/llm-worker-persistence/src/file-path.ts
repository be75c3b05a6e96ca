import { parse } from "node:path";
import { BlobStoreError } from "./blob-store-error.js";

/** Leaves room for what is put behind a name that is taken. */
const MAX_NAME_BYTES = 200;
const MAX_PATH_BYTES = 1024;

// Not hidden (temp files are), nothing that any system takes for more than a letter of a name.
const NAME = /^[^.\p{Cc}/\\:*?"<>|][^\p{Cc}/\\:*?"<>|]*$/u;
const ENDS_BADLY = /[. ]$/;
/** Windows takes these for devices, whatever the extension. */
const DEVICE_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * The names that lead to a file, `["large_tool_result", "call_1"]` for `/large_tool_result/call_1`. None
 * of them leads anywhere else: no `..`, no hidden file, no drive, no device.
 *
 * @throws BlobStoreError `invalid_id`; its message does not repeat the path
 */
export function parseFilePath(path: unknown): readonly string[] {
  const names = typeof path === "string" ? path.replace(/^\//, "").split("/") : [];
  if (
    names.length > 0 &&
    names.every(isName) &&
    Buffer.byteLength(names.join("/")) <= MAX_PATH_BYTES
  ) {
    return names;
  }
  throw new BlobStoreError(
    "invalid_id",
    "the path does not name a file here: use names joined by /, each of at most " +
      `${MAX_NAME_BYTES} bytes, without a dot at its beginning or end and without control characters and \\:*?"<>|`,
  );
}

/** A name that is not taken, for a file whose own name is: `call_1-xxxxxxxx`, `report-xxxxxxxx.csv`. */
export function nameBeside(name: string): string {
  const { name: stem, ext } = parse(name);
  return `${stem}-${crypto.randomUUID().slice(0, 8)}${ext}`;
}

function isName(name: string): boolean {
  return (
    NAME.test(name) &&
    !ENDS_BADLY.test(name) &&
    !DEVICE_NAME.test(name) &&
    name.isWellFormed() &&
    Buffer.byteLength(name) <= MAX_NAME_BYTES
  );
}
