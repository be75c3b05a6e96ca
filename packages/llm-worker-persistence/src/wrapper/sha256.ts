import type { Hash } from "node:crypto";

/** A SHA-256 that takes its bytes piece by piece. */
export function createSha256(): Hash {
  // Loaded here and not at import: many who import this package use no wrapper that hashes.
  return process.getBuiltinModule("node:crypto").createHash("sha256");
}
