import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A new empty directory, removed when the test has ended. */
export async function tempDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "llm-worker-persistence-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}
