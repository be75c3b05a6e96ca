import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { S3SessionStore } from "../../src/s3/index.js";
import { sessionStoreConformance } from "../../src/testing/index.js";
import { SERVERS, storeOptions, type TestServer } from "./servers.js";

const VARIANTS = [
  ["", {}],
  [" that compacts after every other append", { compactAfterAppends: 2 }],
] as const;

describe.each(SERVERS)("on %s", (_, start) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.close());

  describe.each(VARIANTS)("S3SessionStore%s", (__, options) => {
    const createStore = (): S3SessionStore =>
      new S3SessionStore({ ...storeOptions(server), ...options });
    test.each(sessionStoreConformance({ createStore }))("$name", async ({ run }) => {
      await expect(run()).resolves.toBeUndefined();
    });
  });
});
