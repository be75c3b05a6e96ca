import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { S3BlobStore } from "../../src/s3/index.js";
import { blobStoreConformance } from "../../src/testing/index.js";
import { SERVERS, storeOptions, type TestServer } from "./servers.js";

describe.each(SERVERS)("S3BlobStore on %s", (_, start) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.close());

  test.each(blobStoreConformance({ createStore: () => new S3BlobStore(storeOptions(server)) }))(
    "$name",
    async ({ run }) => {
      await expect(run()).resolves.toBeUndefined();
    },
  );
});
