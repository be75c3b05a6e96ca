import { S3Failure } from "./s3-failure.js";
import type { S3Objects } from "./s3-objects.js";

const CONTENT_TYPE = "text/plain";
const TEXT = "Shows that this server keeps to If-None-Match.\n";

/**
 * Whether the server refuses to write over an object that is there, if it is told to. One that does
 * not know conditions may pass over them instead of saying so, hence it is asked to.
 *
 * @param key of an object for this purpose, which stays there
 * @throws S3Failure
 */
export async function keepsToConditions(objects: S3Objects, key: string): Promise<boolean> {
  const input = {
    ...objects.newObjectInput({ key, contentType: CONTENT_TYPE }),
    Body: Buffer.from(TEXT),
    IfNoneMatch: "*" as const,
  };
  // If the first finds nothing there, the second finds the first.
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      await objects.requests.send("PutObject", input);
    } catch (error) {
      if (!(error instanceof S3Failure)) throw error;
      if (error.status === 412) return true;
      if (error.status === 501) return false;
      throw error;
    }
  }
  return false;
}
