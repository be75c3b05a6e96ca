import { cleanUp, FsBlobStore, FsSessionStore, sessionBlobIds } from "llm-worker-persistence";

const sessions = new FsSessionStore("./agent-data");
const report = await cleanUp({
  store: new FsBlobStore("./agent-data"),
  references: () => sessionBlobIds(sessions),
  maxAgeMs: 7 * 24 * 3_600_000,
  maxTotalBytes: 10_000_000_000,
  dryRun: true,
});
console.log(report.deleted, report.kept);
