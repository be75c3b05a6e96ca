import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

/** What the program reads and writes: that of the process, or of a test. */
export interface Terminal {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean | undefined };
  readonly signal?: AbortSignal | undefined;
}

/** Writes to standard output, and waits while its reader is behind. */
export async function print(
  { stdout, signal }: Terminal,
  data: string | Uint8Array,
): Promise<void> {
  signal?.throwIfAborted();
  if (!stdout.write(data)) await once(stdout, "drain", { signal });
}
