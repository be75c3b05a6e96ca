import type { S3Client } from "@aws-sdk/client-s3";
import type { S3ClientLike } from "llm-worker-persistence/s3";

/** A client that counts what is asked of it. */
export interface CountedClient {
  readonly client: S3ClientLike;
  /** The client below, uncounted. */
  readonly sdk: S3Client;
  readonly requests: number;
  /** Of the bodies that came. */
  readonly bytes: number;
  reset(): void;
}

/** Counts requests, and the bytes of the answers' bodies, of an `S3Client`. */
export function countedClient(sdk: S3Client): CountedClient {
  let requests = 0;
  let bytes = 0;
  return {
    sdk,
    client: {
      config: sdk.config,
      async send(command, options) {
        requests += 1;
        const output = await sdk.send(command, options);
        bytes += contentLengthOf(output);
        return output;
      },
    },
    get requests() {
      return requests;
    },
    get bytes() {
      return bytes;
    },
    reset() {
      requests = bytes = 0;
    },
  };
}

function contentLengthOf(output: unknown): number {
  const hasLength = typeof output === "object" && output !== null && "ContentLength" in output;
  return hasLength && typeof output.ContentLength === "number" ? output.ContentLength : 0;
}
