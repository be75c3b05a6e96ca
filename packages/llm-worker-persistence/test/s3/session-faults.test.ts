import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { S3SessionStoreOptions } from "../../src/s3/index.js";
import { type Fault, type FaultProxy, startFaultProxy } from "./fault-proxy.js";
import { clientConfig, SERVERS, type TestServer } from "./servers.js";
import { codeOf, line, SessionPlace, textOf } from "./session-place.js";

const ALWAYS = Number.POSITIVE_INFINITY;
const MAX_ATTEMPTS = 3;
const LOST: Fault = { type: "reset_after" };
const DOWN: Fault = { type: "error", status: 503, code: "SlowDown" };

describe.each(SERVERS)("S3SessionStore on %s, with faults in between", (_, start) => {
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

  function newPlace(changes: Partial<S3SessionStoreOptions> = {}): SessionPlace {
    proxy.rules();
    return new SessionPlace(server, {
      client: clientConfig({ ...server, endpoint: proxy.url }),
      maxAttempts: MAX_ATTEMPTS,
      ...changes,
    });
  }

  function requested(operation: string): number {
    return proxy.log.filter((request) => request.operation === operation).length;
  }

  test("an append whose acknowledgement is lost is in the log once, and that counts as success", async () => {
    const place = newPlace();
    const store = await place.begin("a");
    proxy.rules({ operation: "PutObject", times: 2, fault: LOST });
    expect(await store.append("s", 1, line("b"))).toBe(2);
    expect(await textOf(store)).toBe("a\nb\n");
  });

  test.each([
    ["all acknowledgements are lost", "PutObject", LOST],
    ["it cannot be confirmed", "ListObjectsV2", DOWN],
  ] as const)(
    "an append that fails because %s is found out by the next, which goes on behind it",
    async (__, operation, fault) => {
      const place = newPlace();
      const store = await place.begin("a");
      proxy.rules({ operation, times: ALWAYS, fault });
      expect(await codeOf(store.append("s", 1, line("b")))).toBe("unavailable");
      proxy.rules();
      expect(await store.append("s", 1, Buffer.from("b\nc\n"))).toBe(3);
      expect(await store.append("s", 3, line("d"))).toBe(4);
      expect(await textOf(store)).toBe("a\nb\nc\nd\n");
    },
  );

  test("so it is if it was merged meanwhile, or has never arrived, or others came first", async () => {
    const place = newPlace();
    const store = await place.begin("a");
    proxy.rules({ operation: "PutObject", times: ALWAYS, fault: LOST });
    expect(await codeOf(store.append("s", 1, line("b")))).toBe("unavailable");
    proxy.rules();
    await place.store().compact("s");
    expect(await store.append("s", 1, line("b"))).toBe(2);

    proxy.rules({ operation: "PutObject", times: ALWAYS, fault: DOWN });
    expect(await codeOf(store.append("s", 2, line("c")))).toBe("unavailable");
    proxy.rules();
    expect(await store.append("s", 2, line("c"))).toBe(3);

    proxy.rules({ operation: "PutObject", times: ALWAYS, fault: DOWN });
    expect(await codeOf(store.append("s", 3, line("x")))).toBe("unavailable");
    proxy.rules();
    await place.store().append("s", 3, line("d"));
    expect(await codeOf(store.append("s", 3, line("x")))).toBe("session_conflict");
    expect(await textOf(store)).toBe("a\nb\nc\nd\n");
  });

  test.each([
    DOWN,
    { type: "error", status: 500, code: "InternalError" },
    { type: "error", status: 409, code: "ConditionalRequestConflict" },
    { type: "hang" },
    { type: "corrupt_request" },
  ] as const)("%o once does not keep a log from being continued, nor read", async (fault) => {
    const place = newPlace({ idleTimeoutMs: 200 });
    const store = await place.begin("a");
    const later: Fault = fault.type === "corrupt_request" ? DOWN : fault;
    proxy.rules(
      { operation: "PutObject", fault },
      { operation: "GetObject", fault: later },
      { operation: "ListObjectsV2", fault: later },
    );
    await store.append("s", 1, line("b"));
    expect(await textOf(store)).toBe("a\nb\n");
  });

  test("a server that is always down is unavailable after so many attempts as were set", async () => {
    const place = newPlace();
    const store = await place.begin("a", "b");
    for (const operation of ["PutObject", "GetObject", "ListObjectsV2"] as const) {
      proxy.rules({ operation, times: ALWAYS, fault: DOWN });
      const doing = operation === "PutObject" ? store.append("s", 2, line("x")) : textOf(store);
      await expect(doing).rejects.toMatchObject({ code: "unavailable", sessionId: "s" });
      expect(requested(operation)).toBeLessThanOrEqual(MAX_ATTEMPTS * 2);
    }
  });

  test.each(["reset_body", "truncate", "stall"] as const)(
    "a body that ends early (%s) is continued, of an append and of merged ones",
    async (type) => {
      const place = newPlace({ idleTimeoutMs: 200 });
      const store = await place.begin("a".repeat(1_000), "b");
      const before = await textOf(store);
      const rule = { operation: "GetObject", fault: { type, bytes: 100 } } as const;
      proxy.rules({ ...rule, keyEnd: "0.jsonl" });
      expect(await textOf(store)).toBe(before);
      proxy.rules();
      await store.compact("s");
      proxy.rules({ ...rule, keyEnd: ".merged" });
      expect(await textOf(store)).toBe(before);
    },
  );

  test("what arrives short or changed is corrupt, and never merged", async () => {
    const place = newPlace();
    const store = await place.begin("a".repeat(1_000), "b");
    const faults: readonly Fault[] = [
      { type: "shorten", bytes: 500 },
      { type: "corrupt", at: 600 },
    ];
    for (const fault of faults) {
      proxy.rules({ operation: "GetObject", keyEnd: "0.jsonl", fault });
      await expect(textOf(store)).rejects.toMatchObject({ code: "corrupt", sessionId: "s" });
      proxy.rules({ operation: "GetObject", keyEnd: "0.jsonl", fault });
      expect(await codeOf(store.compact("s"))).toBe("corrupt");
    }
    proxy.rules();
    await store.compact("s");
    for (const fault of faults) {
      proxy.rules({ operation: "GetObject", fault });
      await expect(textOf(store)).rejects.toMatchObject({ code: "corrupt", sessionId: "s" });
    }
  });

  test("a compaction that stops half way leaves a whole log, and the next one tidies up", async () => {
    const place = newPlace();
    const store = await place.begin("a", "b", "c");
    proxy.rules({ operation: "DeleteObject", skip: 1, times: ALWAYS, fault: DOWN });
    expect(await codeOf(store.compact("s"))).toBe("unavailable");
    expect(await place.names()).toHaveLength(3);
    expect(await textOf(store)).toBe("a\nb\nc\n");
    expect(await place.store().append("s", 3, line("d"))).toBe(4);
    proxy.rules();
    expect(await store.compact("s")).toEqual({ mergedCount: 2 });
    expect(await place.names()).toEqual(["000000000003.merged"]);
    expect(await textOf(store)).toBe("a\nb\nc\nd\n");
  });

  test("an append does not fail because of the compaction that follows it", async () => {
    const place = newPlace({ compactAfterAppends: 2 });
    const store = await place.begin("a");
    proxy.rules({ operation: "PutObject", skip: 1, times: ALWAYS, fault: DOWN });
    expect(await store.append("s", 1, line("b"))).toBe(2);
    expect(await place.names()).toHaveLength(2);
  });

  test("a compaction whose acknowledgement is lost is done once", async () => {
    const place = newPlace();
    const store = await place.begin("a", "b");
    proxy.rules({ operation: "PutObject", fault: LOST });
    expect(await store.compact("s")).toEqual({ mergedCount: 2 });
    expect(await textOf(store)).toBe("a\nb\n");
  });

  test.each([
    ["says so", { type: "error", status: 501, code: "NotImplemented" }],
    ["passes over them", { type: "pretend" }],
  ] as const)(
    "a server without conditional writes that %s is refused before anything is appended",
    async (__, fault) => {
      const place = newPlace();
      const store = place.store();
      proxy.rules({ operation: "PutObject", times: 2, fault });
      await expect(store.append("s", 0, line("a"))).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringContaining("If-None-Match"),
      });
      proxy.rules();
      expect(await place.names()).toEqual([]);
    },
  );

  test("an append is one PUT and a look; a read is one look and a request for each object", async () => {
    const place = newPlace();
    const store = await place.begin("a", "b");
    proxy.rules();
    await store.append("s", 2, line("c"));
    expect(proxy.log.map(({ operation }) => operation)).toEqual(["PutObject", "ListObjectsV2"]);
    proxy.rules();
    await textOf(store);
    expect([requested("ListObjectsV2"), requested("GetObject")]).toEqual([1, 3]);
    await store.compact("s");
    proxy.rules();
    await textOf(store);
    expect([requested("ListObjectsV2"), requested("GetObject")]).toEqual([1, 1]);
  });

  test("storage class and encryption are passed on", async () => {
    const place = newPlace({
      storageClass: "STANDARD_IA",
      encryption: { algorithm: "aws:kms", kmsKeyId: "key-1" },
    });
    const fault: Fault = { type: "error", status: 403, code: "AccessDenied" };
    proxy.rules({ operation: "PutObject", times: ALWAYS, fault });
    expect(await codeOf(place.store().append("s", 0, line("a")))).toBe("forbidden");
    for (const { headers } of proxy.log) {
      expect(headers).toMatchObject({
        "x-amz-storage-class": "STANDARD_IA",
        "x-amz-server-side-encryption": "aws:kms",
        "x-amz-server-side-encryption-aws-kms-key-id": "key-1",
      });
    }
  });
});
