import { BlobIndexBuilder, encodeBlobIndex } from "llm-worker/blob";
import { serveCalls } from "../harness/child.js";
import { measureUsage } from "../harness/usage.js";
import { type JsonLayout, jsonBytes } from "../samples/json-text.js";
import { countBytes } from "./byte-loop.js";

export interface IndexJob {
  readonly layout: JsonLayout;
  readonly byteCount: number;
}

/** As stores write. */
const PIECE_BYTES = 256 * 1024;

let made: { readonly name: string; readonly bytes: Buffer } | undefined;

serveCalls({
  /** One pass over the pieces that a store writes. */
  index: async (job: IndexJob) => {
    const bytes = bytesOf(job);
    globalThis.gc?.();
    let longestMs = 0;
    const timed = <Result>(step: () => Result): Result => {
      const startedAt = performance.now();
      const result = step();
      longestMs = Math.max(longestMs, performance.now() - startedAt);
      return result;
    };
    const { result: description, usage } = await measureUsage(() => {
      const builder = new BlobIndexBuilder();
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        timed(() => builder.write(bytes.subarray(at, at + PIECE_BYTES)));
      }
      return timed(() => builder.finish());
    });
    const { kind, entryCount, keyCount } = description.stat;
    const expected = job.layout === "ndjson" ? "text" : "json";
    if (!kind.startsWith(expected) || (entryCount ?? keyCount ?? 0) === 0) {
      throw new Error(`found ${kind}`);
    }
    return {
      "CPU ms": usage.cpuMs,
      "longest step ms": longestMs,
      "added RSS MB": usage.addedRssMb,
      "index % of data": (100 * encodeBlobIndex(description).length) / bytes.length,
    };
  },

  /** A loop over the bytes of the same pieces, which only counts one of them. */
  "byte loop": async (job: IndexJob) => {
    const bytes = bytesOf(job);
    let count = 0;
    const { usage } = await measureUsage(() => {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        count += countBytes(bytes.subarray(at, at + PIECE_BYTES), 0x22);
      }
    });
    if (count === 0) throw new Error("no quotes");
    return { "CPU ms": usage.cpuMs };
  },

  /** What most do with JSON: they make its value. */
  "JSON.parse": async (job: IndexJob) => {
    const text = bytesOf(job).toString("latin1");
    globalThis.gc?.();
    const { usage } = await measureUsage(() => {
      if (job.layout !== "ndjson") return void JSON.parse(text);
      let at = 0;
      for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", at)) {
        JSON.parse(text.slice(at, end));
        at = end + 1;
      }
    });
    return {
      "CPU ms": usage.cpuMs,
      "longest step ms": usage.wallMs,
      "added RSS MB": usage.addedRssMb,
    };
  },
});

function bytesOf({ layout, byteCount }: IndexJob): Buffer {
  const name = `${layout} ${byteCount}`;
  if (made?.name !== name) made = { name, bytes: jsonBytes(layout, byteCount) };
  return made.bytes;
}
