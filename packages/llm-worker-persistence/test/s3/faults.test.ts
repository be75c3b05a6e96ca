import type { Content } from "llm-worker/blob";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { S3BlobStore, type S3Options } from "../../src/s3/index.js";
import { allByteValues, binary, largeText, text } from "../../src/testing/samples.js";
import { entriesOf } from "../../src/testing/assertions.js";
import { type Fault, type FaultProxy, startFaultProxy } from "./fault-proxy.js";
import { clientConfig, SERVERS, storeOptions, type TestServer } from "./servers.js";

const MIB = 1024 * 1024;
const PART_BYTES = 5 * MIB;
const ALWAYS = Number.POSITIVE_INFINITY;
const MAX_ATTEMPTS = 3;

describe.each(SERVERS)("S3BlobStore on %s, with faults in between", (_, start) => {
  let server: TestServer;
  let proxy: FaultProxy;

  beforeAll(async () => {
    server = await start();
    proxy = await startFaultProxy(server.endpoint);
  });
  afterAll(async () => {
    await proxy.close();
    await server.close();
  });

  function newStore(changes: Partial<S3Options> = {}): S3BlobStore {
    return new S3BlobStore(
      storeOptions(server, {
        client: clientConfig({ ...server, endpoint: proxy.url }),
        maxAttempts: MAX_ATTEMPTS,
        partBytes: PART_BYTES,
        ...changes,
      }),
    );
  }

  function requested(operation: string): number {
    return proxy.log.filter((request) => request.operation === operation).length;
  }

  async function stream(store: S3BlobStore, bytes: Uint8Array): Promise<string> {
    const writer = await store.openWriter();
    for (let at = 0; at < bytes.length; at += MIB) await writer.write(bytes.subarray(at, at + MIB));
    return (await writer.commit()).id;
  }

  async function stored(store: S3BlobStore, content: Content): Promise<string> {
    proxy.rules();
    return store.store(content);
  }

  const twoParts = Buffer.alloc(PART_BYTES + MIB, "a line of a log, as there are many\n");

  describe.each([
    { status: 503, code: "SlowDown" },
    { status: 500, code: "InternalError" },
    { status: 429, code: "TooManyRequests" },
  ])("$status $code", (error) => {
    const fault: Fault = { type: "error", ...error };

    test("once does not keep a blob from being stored and loaded", async () => {
      const store = newStore();
      proxy.rules({ operation: "PutObject", fault }, { operation: "GetObject", fault });
      const id = await store.store(text("x"));
      expect(await store.load(id)).toEqual(text("x"));
      expect(requested("GetObject")).toBe(2);
    });

    test("always is unavailable after so many attempts as were set", async () => {
      const store = newStore();
      const id = await stored(store, text("x"));
      proxy.rules(
        { operation: "PutObject", times: ALWAYS, fault },
        { operation: "GetObject", times: ALWAYS, fault },
      );
      await expect(store.load(id)).rejects.toMatchObject({ code: "unavailable", blobId: id });
      await expect(store.exists(id)).rejects.toMatchObject({ code: "unavailable" });
      await expect(store.store(text("x"))).rejects.toMatchObject({ code: "unavailable" });
      expect(requested("GetObject")).toBe(2 * MAX_ATTEMPTS);
      expect(requested("PutObject")).toBe(MAX_ATTEMPTS);
    });
  });

  test("a blob whose acknowledgement is lost is stored once, and that counts as success", async () => {
    const store = newStore();
    proxy.rules({ operation: "PutObject", fault: { type: "reset_after" } });
    const id = await store.store(text("kept"));
    expect(await store.load(id)).toEqual(text("kept"));
    expect(await entriesOf(store.list())).toHaveLength(1);
  });

  test("a blob whose acknowledgements are all lost is not left behind", async () => {
    const store = newStore();
    proxy.rules({ operation: "PutObject", times: ALWAYS, fault: { type: "reset_after" } });
    await expect(store.store(text("x"))).rejects.toMatchObject({ code: "unavailable" });
    expect(await entriesOf(store.list())).toEqual([]);
  });

  test("a conflict with another write at the same time is tried again", async () => {
    const store = newStore();
    const fault: Fault = { type: "error", status: 409, code: "ConditionalRequestConflict" };
    proxy.rules({ operation: "PutObject", fault });
    const id = await store.store(text("x"));
    expect(await store.load(id)).toEqual(text("x"));
  });

  test("a server without conditional writes is written to without condition, and asked once", async () => {
    const store = newStore();
    const fault: Fault = { type: "error", status: 501, code: "NotImplemented" };
    proxy.rules({ operation: "PutObject", fault });
    for (const value of ["a", "b"]) {
      expect(await store.load(await store.store(text(value)))).toEqual(text(value));
    }
    expect(requested("PutObject")).toBe(3);
  });

  test("a payload that is changed on the way there is sent again", async () => {
    const store = newStore();
    proxy.rules({ operation: "PutObject", fault: { type: "corrupt_request" } });
    const id = await store.store(text("sent as it is"));
    expect(await store.load(id)).toEqual(text("sent as it is"));
  });

  test.each(["reset_body", "truncate", "stall"] as const)(
    "the rest of a body that ends early (%s) is fetched from the same object",
    async (type) => {
      const store = newStore({ idleTimeoutMs: 100 });
      const id = await stored(store, text(largeText()));
      const fault: Fault = { type, bytes: 100_000 };
      proxy.rules({ operation: "GetObject", keyEnd: ".txt", times: 2, fault });
      expect(await store.load(id)).toEqual(text(largeText()));
      const conditions = proxy.log.map(({ headers }) => headers["if-match"]);
      const [etag] = conditions.filter((condition) => condition !== undefined);
      // The sidecar and the first answer are of any object, what follows is of that of the first.
      expect(conditions).toEqual([undefined, undefined, etag, etag]);
      expect(etag).toBeDefined();
    },
  );

  test.each(["reset_body", "truncate", "stall"] as const)(
    "a body that always ends early (%s) is unavailable after a bounded number of requests",
    async (type) => {
      const store = newStore({ idleTimeoutMs: 50 });
      const id = await stored(store, text(largeText()));
      const fault: Fault = { type, bytes: 0 };
      proxy.rules({ operation: "GetObject", times: ALWAYS, fault });
      await expect(store.load(id)).rejects.toMatchObject({ code: "unavailable", blobId: id });
      expect(requested("GetObject")).toBeLessThanOrEqual(MAX_ATTEMPTS);
    },
  );

  test("a server that does not answer is asked again, and not without end", async () => {
    const store = newStore({ idleTimeoutMs: 50 });
    const hang: Fault = { type: "hang" };
    proxy.rules({ operation: "PutObject", fault: hang }, { operation: "GetObject", fault: hang });
    const id = await store.store(text("x"));
    expect(await store.load(id)).toEqual(text("x"));
    proxy.rules(
      { operation: "GetObject", times: ALWAYS, fault: hang },
      { operation: "PutObject", times: ALWAYS, fault: hang },
    );
    await expect(store.load(id)).rejects.toMatchObject({
      code: "unavailable",
      cause: { reason: "IdleTimeout" },
    });
    await expect(store.store(text("x"))).rejects.toMatchObject({ code: "unavailable" });
    expect(requested("GetObject")).toBe(MAX_ATTEMPTS);
  });

  test("a body that is continued from another object is corrupt, never a mixture", async () => {
    const store = newStore();
    const id = await stored(store, text(largeText()));
    const changed: Fault = { type: "error", status: 412, code: "PreconditionFailed" };
    proxy.rules(
      { operation: "GetObject", keyEnd: ".txt", fault: { type: "truncate", bytes: 1000 } },
      { operation: "GetObject", keyEnd: ".txt", fault: changed },
    );
    await expect(store.load(id)).rejects.toMatchObject({ code: "corrupt", blobId: id });
  });

  test.each([
    ["a small text", text("a few lines\n".repeat(100)), ".txt"],
    ["a large text", text(largeText()), ".txt"],
    ["bytes", binary(allByteValues(5_000), "image/png"), ".bin"],
  ] as const)(
    "%s that arrives short or changed is corrupt, whether loaded or read in part",
    async (__, content, keyEnd) => {
      const store = newStore();
      const id = await stored(store, content);
      for (const fault of [
        { type: "shorten", bytes: 500 },
        { type: "corrupt", at: 600 },
      ] as const) {
        proxy.rules({ operation: "GetObject", keyEnd, fault });
        await expect(store.load(id)).rejects.toMatchObject({ code: "corrupt", blobId: id });
        proxy.rules({ operation: "GetObject", keyEnd, fault });
        const reading = store.openReader(id).then((reader) => reader.read(590, 700));
        await expect(reading).rejects.toMatchObject({ code: "corrupt", blobId: id });
      }
    },
  );

  test("a damaged sidecar is not believed", async () => {
    const store = newStore();
    const id = await stored(store, text(largeText()));
    proxy.rules({ operation: "GetObject", keyEnd: ".index", fault: { type: "corrupt", at: 30 } });
    expect(await store.load(id)).toEqual(text(largeText()));
  });

  test.each(["ListObjectsV2", "CreateMultipartUpload", "CompleteMultipartUpload"] as const)(
    "an answer to %s that cannot be read is asked for again",
    async (operation) => {
      const store = newStore();
      for (const bytes of [60, 100]) {
        proxy.rules({ operation, fault: { type: "shorten", bytes } });
        const id = await stream(store, twoParts);
        expect((await entriesOf(store.list())).map((entry) => entry.id)).toContain(id);
        expect((await store.stat(id)).byteCount).toBe(twoParts.length);
      }
    },
  );

  test("an empty answer is no empty listing", async () => {
    const store = newStore();
    const id = await stored(store, text("x"));
    proxy.rules({ operation: "ListObjectsV2", fault: { type: "shorten", bytes: 0 } });
    await expect(entriesOf(store.list())).rejects.toMatchObject({ code: "unavailable" });
    expect((await entriesOf(store.list())).map((entry) => entry.id)).toEqual([id]);
  });

  test("an upload that completes with an error inside a 200 is completed again", async () => {
    const store = newStore();
    const fault: Fault = { type: "error", status: 200, code: "InternalError" };
    proxy.rules({ operation: "CompleteMultipartUpload", fault });
    const id = await stream(store, twoParts);
    expect((await store.stat(id)).byteCount).toBe(twoParts.length);
    expect(requested("CompleteMultipartUpload")).toBe(2);
  });

  test("an upload that never completes is aborted, and nothing is left of it", async () => {
    const store = newStore();
    const fault: Fault = { type: "error", status: 200, code: "InternalError" };
    proxy.rules({ operation: "CompleteMultipartUpload", times: ALWAYS, fault });
    await expect(stream(store, twoParts)).rejects.toMatchObject({ code: "unavailable" });
    expect(requested("CompleteMultipartUpload")).toBe(MAX_ATTEMPTS);
    expect(requested("AbortMultipartUpload")).toBeGreaterThan(0);
    expect(await entriesOf(store.list())).toEqual([]);
    expect(await store.removeAbandoned({ minAgeMs: -60_000 })).toEqual({
      uploadCount: 0,
      sidecarCount: 0,
    });
  });

  test("an upload whose completion is not acknowledged is complete", async () => {
    const store = newStore();
    proxy.rules({ operation: "CompleteMultipartUpload", fault: { type: "reset_after" } });
    const id = await stream(store, twoParts);
    expect(await store.load(id)).toEqual(text(twoParts.toString()));
  });

  test("so it is on a server that then no longer knows the upload", async () => {
    const store = newStore();
    const gone: Fault = { type: "error", status: 404, code: "NoSuchUpload" };
    proxy.rules(
      { operation: "CompleteMultipartUpload", fault: { type: "reset_after" } },
      { operation: "CompleteMultipartUpload", fault: gone },
    );
    const id = await stream(store, twoParts);
    expect((await store.load(id)).type).toBe("text");
  });

  test("an upload that the server never knew is no success", async () => {
    const store = newStore();
    const lost: Fault = { type: "error", status: 500, code: "InternalError" };
    const gone: Fault = { type: "error", status: 404, code: "NoSuchUpload" };
    proxy.rules(
      { operation: "CompleteMultipartUpload", fault: lost },
      { operation: "CompleteMultipartUpload", times: ALWAYS, fault: gone },
    );
    await expect(stream(store, twoParts)).rejects.toMatchObject({ code: "unavailable" });
    expect(await entriesOf(store.list())).toEqual([]);
  });

  test("of a part that is refused and an abort that fails the first is told", async () => {
    const store = newStore();
    proxy.rules(
      {
        operation: "UploadPart",
        times: ALWAYS,
        fault: { type: "error", status: 403, code: "AccessDenied" },
      },
      {
        operation: "AbortMultipartUpload",
        times: ALWAYS,
        fault: { type: "error", status: 500, code: "InternalError" },
      },
    );
    await expect(stream(store, twoParts)).rejects.toMatchObject({
      code: "forbidden",
      cause: { reason: "AccessDenied" },
    });
  });

  test("a signal ends an upload that is under way, and nothing is left of it", async () => {
    const store = newStore({ maxAttempts: 1_000 });
    const fault: Fault = { type: "error", status: 503, code: "SlowDown" };
    proxy.rules({ operation: "UploadPart", times: ALWAYS, fault });
    const controller = new AbortController();
    const writer = await store.openWriter({ signal: controller.signal });
    await writer.write(twoParts);
    const committing = writer.commit();
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(committing).rejects.toBe(reason);
    await writer.abort();
    expect(await store.removeAbandoned({ minAgeMs: -60_000 })).toMatchObject({ uploadCount: 0 });
  });

  test("a signal that is aborted while an upload begins leaves none", async () => {
    const store = newStore();
    const controller = new AbortController();
    const reason = new Error("enough");
    proxy.rules({
      operation: "CreateMultipartUpload",
      fault: { type: "meanwhile", act: () => controller.abort(reason) },
    });
    const writer = await store.openWriter({ signal: controller.signal });
    await expect(writer.write(twoParts)).rejects.toBe(reason);
    await writer.abort();
    expect(await store.removeAbandoned({ minAgeMs: -60_000 })).toMatchObject({ uploadCount: 0 });
  });

  test("credentials that have expired are asked for again, once", async () => {
    let asked = 0;
    const credentials = async (): Promise<typeof server.credentials> => {
      asked += 1;
      return server.credentials;
    };
    const client = clientConfig({ ...server, endpoint: proxy.url }, { credentials });
    const store = newStore({ client });
    const fault: Fault = { type: "error", status: 400, code: "ExpiredToken" };
    proxy.rules({ operation: "PutObject", fault });
    await store.store(text("x"));
    expect(asked).toBe(2);

    proxy.rules({ operation: "PutObject", times: ALWAYS, fault });
    await expect(store.store(text("x"))).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("expired"),
    });
    expect(requested("PutObject")).toBe(2);
  });

  test("a clock that is wrong is told after two requests", async () => {
    const date = new Date(Date.now() + 60 * 60 * 1000).toUTCString();
    const store = newStore();
    proxy.rules({
      operation: "PutObject",
      times: ALWAYS,
      fault: { type: "error", status: 403, code: "RequestTimeTooSkewed", headers: { date } },
    });
    await expect(store.store(text("x"))).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("60 min behind"),
    });
    expect(requested("PutObject")).toBe(2);
  });

  test("a clock that is wrong is set by the server's", async () => {
    const systemClockOffset = 60 * 60 * 1000;
    const client = clientConfig({ ...server, endpoint: proxy.url }, { systemClockOffset });
    proxy.rules();
    await newStore({ client }).store(text("x"));
    expect(requested("PutObject")).toBeGreaterThan(1);
  });

  test("storage class and encryption are passed on", async () => {
    const fault: Fault = { type: "error", status: 403, code: "AccessDenied" };
    const refused = { code: "forbidden" };
    const store = newStore({
      storageClass: "STANDARD_IA",
      encryption: { algorithm: "aws:kms", kmsKeyId: "key-1", bucketKey: "enabled" },
    });
    proxy.rules({ operation: "PutObject", fault }, { operation: "CreateMultipartUpload", fault });
    await expect(store.store(text("x"))).rejects.toMatchObject(refused);
    await expect(stream(store, twoParts)).rejects.toMatchObject(refused);
    expect(proxy.log).toHaveLength(2);
    for (const { headers } of proxy.log) {
      expect(headers).toMatchObject({
        "x-amz-storage-class": "STANDARD_IA",
        "x-amz-server-side-encryption": "aws:kms",
        "x-amz-server-side-encryption-aws-kms-key-id": "key-1",
        "x-amz-server-side-encryption-bucket-key-enabled": "true",
      });
    }
  });

  test("a bucket elsewhere is told with its region, and not asked for again", async () => {
    const store = newStore();
    const headers = { "x-amz-bucket-region": "eu-west-1" };
    for (const [status, code] of [
      [301, "PermanentRedirect"],
      [400, "AuthorizationHeaderMalformed"],
    ] as const) {
      const fault: Fault = { type: "error", status, code, headers };
      proxy.rules({ operation: "GetObject", fault });
      const asking = store.exists("00000000-0000-7000-8000-000000000000");
      await expect(asking).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringContaining('region: "eu-west-1"'),
      });
      expect(requested("GetObject")).toBe(1);
    }
  });

  test("a quota that is used up is no_space", async () => {
    const fault: Fault = { type: "error", status: 403, code: "QuotaExceeded" };
    proxy.rules({ operation: "PutObject", fault });
    await expect(newStore().store(text("x"))).rejects.toMatchObject({ code: "no_space" });
  });

  test("what cannot be told from what is missing, without the right to list, is forbidden", async () => {
    const id = "00000000-0000-7000-8000-000000000000";
    const store = newStore();
    proxy.rules();
    expect(await store.exists(id)).toBe(false);
    const fault: Fault = { type: "error", status: 403, code: "AccessDenied" };
    proxy.rules({ operation: "GetObject", fault });
    await expect(store.exists(id)).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("s3:ListBucket"),
    });
  });
});
