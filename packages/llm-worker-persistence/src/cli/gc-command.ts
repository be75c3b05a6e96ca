import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { BlobId } from "llm-worker/blob";
import { fileBlobIds, sessionBlobIds } from "../blob-references.js";
import { cleanUp, type CleanUpReport } from "../clean-up.js";
import { allSharedPayloadIds } from "../wrapper/shared-blobs.js";
import { SESSIONS_DIRECTORY } from "../session/fs-session-store.js";
import type { Command } from "./parse-command.js";
import { assertDirectory, openStore } from "./open-store.js";
import { formatBytes, Progress } from "./progress.js";
import { assertKnownPlace, isS3Place, s3OptionsOf } from "./s3-place.js";
import { print, type Terminal } from "./terminal.js";

/** Deletes what nothing names, by the rules, or says what it would delete. */
export async function gc(
  command: Extract<Command, { name: "gc" }>,
  terminal: Terminal,
): Promise<void> {
  const { maxAgeMs, minAgeMs, maxBytes, pins, dryRun, json } = command;
  const store = await openStore(command, "read");
  const named = await referencesOf(command);
  // Payloads of a deduplicated store are not named by sessions: they are not ours to delete.
  const references = async function* (): AsyncGenerator<BlobId> {
    yield* named();
    yield* allSharedPayloadIds(store);
  };
  const progress = new Progress(terminal, "cleaning up:");
  let report: CleanUpReport;
  try {
    report = await cleanUp({
      store,
      references,
      pins,
      maxAgeMs,
      minAgeMs,
      maxTotalBytes: maxBytes,
      dryRun,
      signal: terminal.signal,
      onProgress: ({ phase, doneCount, totalCount }) =>
        progress.show(doneCount, totalCount, (count) => `${count} ${WORDS[phase]}`),
    });
  } finally {
    progress.clear();
  }
  await print(
    terminal,
    json ? `${JSON.stringify({ dryRun, ...report })}\n` : describe(report, dryRun),
  );
}

const WORDS = {
  listing: "blobs listed",
  reading_references: "references read",
  deleting: "blobs deleted",
} as const;

/** The blobs that the logs at the place of `--sessions` name. */
async function referencesOf({
  sessions,
  endpoint,
}: Extract<Command, { name: "gc" }>): Promise<() => AsyncIterable<BlobId>> {
  assertKnownPlace("--sessions", sessions);
  if (isS3Place(sessions)) {
    const options = s3OptionsOf("--sessions", sessions, endpoint);
    const { S3SessionStore } = await import("../s3/index.js");
    const store = new S3SessionStore(options);
    return () => sessionBlobIds(store);
  }
  await assertDirectory(sessions, "the directory of sessions");
  const directory = await logsOf(sessions);
  return () => fileBlobIds(directory);
}

/** The store of sessions below a directory if it is one, so that blobs beside it are not read. */
async function logsOf(directory: string): Promise<string> {
  const sessions = join(directory, SESSIONS_DIRECTORY);
  const stats = await stat(sessions).catch(() => undefined);
  return stats?.isDirectory() === true ? sessions : directory;
}

function describe(
  { deleted, deletedBytes, kept, keptBytes }: CleanUpReport,
  dryRun: boolean,
): string {
  const lines = deleted.map(
    ({ id, byteCount, reason }) => `${id}  ${String(byteCount).padStart(12)}  ${reason}`,
  );
  const { referenced, pinned, recent, withinLimits } = kept;
  lines.push(
    `${dryRun ? "would delete" : "deleted"} ${deleted.length} blobs, ${formatBytes(deletedBytes)}; ` +
      `kept ${referenced + pinned + recent + withinLimits}, ${formatBytes(keptBytes)}: ` +
      `${referenced} referenced, ${pinned} pinned, ${recent} too young, ${withinLimits} within the limits`,
  );
  return `${lines.join("\n")}\n`;
}
