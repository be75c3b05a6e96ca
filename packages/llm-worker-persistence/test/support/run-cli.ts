import { PassThrough, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { run } from "../../src/cli/run.js";

/** What a command line led to. */
export interface Outcome {
  readonly code: number;
  readonly out: Buffer;
  /** `out` as text. */
  readonly text: string;
  readonly err: string;
}

/** Runs a command line in this process. */
export async function runCli(
  args: readonly string[],
  {
    stdin = "",
    isTTY = false,
  }: { readonly stdin?: string | Uint8Array; readonly isTTY?: boolean } = {},
): Promise<Outcome> {
  const stdout = new PassThrough();
  const stderr = Object.assign(new PassThrough(), { isTTY });
  const printed = Promise.all([buffer(stdout), buffer(stderr)]);
  const code = await run(args, { stdin: Readable.from([Buffer.from(stdin)]), stdout, stderr });
  stdout.end();
  stderr.end();
  const [out, err] = await printed;
  return { code, out, text: out.toString(), err: err.toString() };
}
