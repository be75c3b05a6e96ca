import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test, vi } from "vitest";
import { SERVERS } from "./s3/servers.js";
import { runCli } from "./support/run-cli.js";
import { tempDirectory } from "./temp-directory.js";

const sharedRoot =
  process.env["LLM_WORKER_SHARED"] ?? fileURLToPath(new URL("../../../../shared", import.meta.url));
const outputs = join(sharedRoot, "corpus", "outputs");
const hasOutputs = existsSync(outputs);
const skipped = hasOutputs ? "" : " (skipped: no shared data)";

afterEach(() => vi.unstubAllEnvs());

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

async function expectWalked(store: readonly string[], files: readonly string[]): Promise<void> {
  for (const file of files) {
    const put = await runCli([...store, "put", file]);
    expect(put).toMatchObject({ code: 0, err: "" });
    const walked = await runCli([...store, "walk", put.text.trim()]);
    expect({ file, code: walked.code, isSame: walked.out.equals(readFileSync(file)) }).toEqual({
      file,
      code: 0,
      isSame: true,
    });
  }
}

describe.skipIf(!hasOutputs)(`walk writes recorded outputs byte for byte${skipped}`, () => {
  test("from files", async () => {
    const files = filesBelow(outputs);
    expect(files.length).toBeGreaterThan(100);
    await expectWalked(["--store", await tempDirectory()], files);
  });

  test.each(SERVERS)("from S3: %s", async (_name, start) => {
    const server = await start();
    vi.stubEnv("AWS_ACCESS_KEY_ID", server.credentials.accessKeyId);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", server.credentials.secretAccessKey);
    vi.stubEnv("AWS_REGION", server.region);
    const place = `s3://${server.bucket}/cli-${process.pid}`;
    try {
      const store = ["--store", place, "--endpoint", server.endpoint];
      const files = filesBelow(outputs);
      await expectWalked(store, files);
      const listed = (await runCli([...store, "ls"])).text.trimEnd().split("\n");
      expect(listed).toHaveLength(files.length);
    } finally {
      await server.close();
    }
  });
});
