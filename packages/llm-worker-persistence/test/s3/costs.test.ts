import { type Content, structuredContent } from "llm-worker/blob";
import { readBlob } from "llm-worker";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { S3BlobStore } from "../../src/s3/index.js";
import { text } from "../../src/testing/samples.js";
import { type FaultProxy, startFaultProxy } from "./fault-proxy.js";
import { clientConfig, SERVERS, storeOptions, type TestServer } from "./servers.js";

const KIB = 1024;
const MAX_EXTRA_BYTES = 256 * KIB;

function rows(count: number, row: (number: number) => string, separator: string): string {
  return Array.from({ length: count }, (_, number) => row(number)).join(separator);
}

const lines = rows(100_000, (n) => `line ${n} ${"x".repeat(n % 90)}`, "\n");
const array = `[${rows(80_000, (n) => `{"id":${n},"n":"${"y".repeat(n % 60)}"}`, ",")}]`;
const object = `{${rows(2_000, (n) => `"k${n}":"${"z".repeat(3_000)}"`, ",")}}`;

const BLOBS: Readonly<Record<string, readonly [Content, readonly string[]]>> = {
  "a text of many lines": [
    text(lines),
    [
      "",
      ...Array.from({ length: 25 }, (_, n) => `lines:${1 + n * 3_989}-${40 + n * 3_989}`),
      "bytes:3000000-3016000",
    ],
  ],
  "an array of many elements": [
    structuredContent(array),
    ["", ...Array.from({ length: 25 }, (_, n) => `slice:${n * 3_191}..${n * 3_191 + 20}`)],
  ],
  "an object of many keys": [structuredContent(object), ["", "key:k0", "key:k999", "key:k1999"]],
  "a small text": [text(lines.slice(0, 100 * KIB)), ["", "lines:900-950"]],
};

describe.each(SERVERS)("what S3BlobStore asks of %s", (_, start) => {
  let server: TestServer;
  let proxy: FaultProxy;
  let store: S3BlobStore;

  beforeAll(async () => {
    server = await start();
    proxy = await startFaultProxy(server.endpoint);
    const client = clientConfig({ ...server, endpoint: proxy.url });
    store = new S3BlobStore(storeOptions(server, { client }));
  });
  afterAll(async () => {
    await proxy.close();
    await server.close();
  });

  test.each(Object.entries(BLOBS))(
    "an answer of inspect from %s takes two requests at most, and 256 KiB more than it shows",
    async (__, [content, selectors]) => {
      const id = await store.store(content);
      for (const selector of selectors) {
        proxy.rules();
        const answer = await readBlob(store, id, selector);
        expect(answer.isError).toBeFalsy();
        expect({ selector, requests: proxy.log.length }).toEqual({
          selector,
          requests: proxy.log.length > 2 ? "at most 2" : proxy.log.length,
        });
        const bodyBytes = proxy.log.reduce((sum, request) => sum + request.bodyBytes, 0);
        expect(bodyBytes).toBeLessThanOrEqual(MAX_EXTRA_BYTES);
      }
    },
  );

  test("a small blob is one request to store, to load, to find and to describe", async () => {
    const operations: string[][] = [];
    async function counted<T>(task: () => Promise<T>): Promise<T> {
      proxy.rules();
      const result = await task();
      operations.push(proxy.log.map(({ operation }) => operation ?? "unknown"));
      return result;
    }
    const id = await counted(() => store.store(text("a few lines\n")));
    await counted(() => store.load(id));
    await counted(() => store.exists(id));
    await counted(() => store.stat(id));
    expect(operations).toEqual([["PutObject"], ["GetObject"], ["GetObject"], ["GetObject"]]);
  });

  test("a large blob is two requests to store and to load, none of them for its head", async () => {
    proxy.rules();
    const id = await store.store(text(lines));
    await store.load(id);
    expect(proxy.log.map(({ operation }) => operation)).toEqual([
      "PutObject",
      "PutObject",
      "GetObject",
      "GetObject",
    ]);
  });

  test("a reader that goes through a blob in order asks for each byte once", async () => {
    const id = await store.store(text(lines));
    const reader = await store.openReader(id);
    proxy.rules();
    for (let at = 0; at < reader.stat.byteCount; at += 64 * KIB)
      await reader.read(at, at + 64 * KIB);
    await reader.close();
    const bodyBytes = proxy.log.reduce((sum, request) => sum + request.bodyBytes, 0);
    expect(bodyBytes).toBe(reader.stat.byteCount);
  });

  test("a stream waits for the server: no more than two parts are in memory at a time", async () => {
    const partBytes = 5 * 1024 * KIB;
    const client = clientConfig({ ...server, endpoint: proxy.url });
    const streaming = new S3BlobStore(storeOptions(server, { client, partBytes }));
    proxy.rules();
    const chunk = Buffer.alloc(512 * KIB, "a line of a log, as there are many\n");
    const writer = await streaming.openWriter();
    let most = 0;
    for (let written = 0; written < 6 * partBytes; written += chunk.length) {
      await writer.write(chunk);
      const arrived = proxy.log.reduce((sum, request) => sum + request.sentBytes, 0);
      most = Math.max(most, written + chunk.length - arrived);
    }
    const { stat } = await writer.commit();
    expect(stat.byteCount).toBe(6 * partBytes);
    expect(most).toBeLessThanOrEqual(2 * partBytes);
  });
});
