import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { type Content, contentBytes } from "llm-worker/blob";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { FsBlobStore } from "../../src/index.js";
import { S3BlobStore, type S3ClientConfig, type S3Options } from "../../src/s3/index.js";
import { assertSameBytes, entriesOf } from "../../src/testing/assertions.js";
import {
  allByteValues,
  binary,
  json,
  largeArray,
  largeText,
  text,
} from "../../src/testing/samples.js";
import { tempDirectory } from "../temp-directory.js";
import { clientConfig, SERVERS, startDouble, storeOptions, type TestServer } from "./servers.js";

const MIB = 1024 * 1024;
/** Clocks that differ by more are refused. */
const LATER_MS = 10 * 60 * 1000;
const UNKNOWN_ID = "00000000-0000-7000-8000-000000000000";

const CONTENTS: Readonly<Record<string, Content>> = {
  "a small text": text("a few lines\n"),
  "a large text": text(largeText()),
  "a large array": json(largeArray()),
  bytes: binary(allByteValues()),
  "bytes with a media type": binary(allByteValues(2_000), "image/png"),
};

describe.each(SERVERS)("S3BlobStore on %s", (_, start) => {
  let server: TestServer;
  let client: S3Client;

  beforeAll(async () => {
    server = await start();
    const { endpoint, region } = server;
    const { accessKeyId, secretAccessKey } = server.credentials;
    const credentials = { accessKeyId, secretAccessKey };
    client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  });
  afterAll(async () => {
    client.destroy();
    await server.close();
  });

  function newStore(changes: Partial<S3Options> = {}): {
    readonly store: S3BlobStore;
    readonly prefix: string;
  } {
    const options = storeOptions(server, changes);
    return { store: new S3BlobStore(options), prefix: options.prefix ?? "" };
  }

  test("the payload is an object that any program can read", async () => {
    const { store, prefix } = newStore();
    const id = await store.store(json(largeArray()));
    const Key = `${prefix}/blobs/${id}.json`;
    const answer = await client.send(new GetObjectCommand({ Bucket: server.bucket, Key }));
    expect(answer.ContentType).toBe("application/json");
    expect(await answer.Body?.transformToString()).toBe(largeArray());
  });

  test.each(Object.entries(CONTENTS))(
    "%s that was copied from the directory of an FsBlobStore is read as it was there",
    async (__, content) => {
      const { store, prefix } = newStore();
      const directory = await tempDirectory();
      const files = new FsBlobStore(directory, { durability: "none" });
      const id = await files.store(content);
      for (const name of await readdir(join(directory, "blobs"))) {
        const Body = await readFile(join(directory, "blobs", name));
        const Key = `${prefix}/blobs/${name}`;
        await client.send(new PutObjectCommand({ Bucket: server.bucket, Key, Body }));
      }
      expect(await store.exists(id)).toBe(true);
      expect(JSON.stringify(await store.load(id))).toBe(JSON.stringify(content));
      expect(await store.stat(id)).toEqual(await files.stat(id));
      expect(await store.delete(id)).toBe(true);
      expect(await store.exists(id)).toBe(false);
    },
  );

  test("a large text without its sidecar is described anew", async () => {
    const { store, prefix } = newStore();
    const Key = `${prefix}/blobs/${UNKNOWN_ID}.txt`;
    const Body = Buffer.from(largeText());
    await client.send(new PutObjectCommand({ Bucket: server.bucket, Key, Body }));
    expect(await store.stat(UNKNOWN_ID)).toMatchObject({ kind: "text", lineCount: 30_000 });
    expect(await store.load(UNKNOWN_ID)).toEqual(text(largeText()));
  });

  test("a client of the caller's own is used as it is", async () => {
    const { store } = newStore({ client });
    const contents = [text("x"), text(largeText())];
    for (const content of contents) {
      expect(await store.load(await store.store(content))).toEqual(content);
    }
  });

  test("an upload of many parts is read back whole and in part, in whatever pieces it came", async () => {
    const { store } = newStore({ partBytes: 5 * MIB });
    const bytes = Buffer.from(largeText().repeat(9));
    const writer = await store.openWriter();
    for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 7) % 900_001) {
      await writer.write(bytes.subarray(at, at + size));
    }
    const { id, stat } = await writer.commit();
    expect(stat.byteCount).toBe(bytes.length);
    assertSameBytes(contentBytes(await store.load(id)), bytes);
    const reader = await store.openReader(id);
    const at = 5 * MIB - 10;
    expect(Buffer.from(await reader.read(at, at + 20))).toEqual(bytes.subarray(at, at + 20));
    expect(reader.index).toBeDefined();
    await reader.close();
  });

  test("a stream is what it turns out to be, whatever it began like", async () => {
    const { store } = newStore({ partBytes: 5 * MIB });
    const writer = await store.openWriter();
    await writer.write(Buffer.from(`[${"1,".repeat(3 * MIB)}`));
    await writer.write(Buffer.from("and that was no JSON"));
    const { id, stat } = await writer.commit();
    expect(stat.kind).toBe("text");
    expect((await store.load(id)).type).toBe("text");
    expect((await entriesOf(store.list())).map((entry) => entry.id)).toEqual([id]);
    expect(await store.delete(id)).toBe(true);
    expect(await store.exists(id)).toBe(false);
  });

  test("what a writer that died has left is removed, and nothing else", async () => {
    const { store, prefix } = newStore({ partBytes: 5 * MIB });
    const kept = await store.store(text(largeText()));
    const writer = await store.openWriter();
    await writer.write(Buffer.alloc(6 * MIB, "x"));
    const Key = `${prefix}/blobs/${UNKNOWN_ID}.index`;
    await client.send(new PutObjectCommand({ Bucket: server.bucket, Key, Body: "left" }));

    expect(await store.removeAbandoned()).toEqual({ uploadCount: 0, sidecarCount: 0 });
    await expect(store.removeAbandoned({ minAgeMs: Number.NaN })).rejects.toThrow(RangeError);
    const all = { minAgeMs: -60_000 };
    expect(await store.removeAbandoned(all)).toEqual({ uploadCount: 1, sidecarCount: 1 });
    expect(await store.removeAbandoned(all)).toEqual({ uploadCount: 0, sidecarCount: 0 });
    expect(await store.load(kept)).toEqual(text(largeText()));
    await expect(writer.commit()).rejects.toMatchObject({ code: "unavailable" });
  });

  test("a bucket that is not there is unavailable, not a blob that is missing", async () => {
    const { store } = newStore({ bucket: "no-such-bucket-anywhere" });
    for (const asking of [
      () => store.exists(UNKNOWN_ID),
      () => store.load(UNKNOWN_ID),
      () => store.store(text("x")),
      () => entriesOf(store.list()),
    ]) {
      await expect(asking()).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringContaining("no-such-bucket-anywhere"),
      });
    }
  });

  test("credentials that are unknown or without rights are forbidden, and told without their secret", async () => {
    const nobody = { accessKeyId: "nobody", secretAccessKey: "a-secret-of-nobody" };
    for (const credentials of [nobody, server.otherCredentials ?? nobody]) {
      const { store } = newStore({ client: clientConfig(server, { credentials }) });
      const error: unknown = await store.store(text("payload")).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "forbidden" });
      const told = JSON.stringify(error, Object.getOwnPropertyNames(error)) + String(error);
      expect(told).not.toContain(credentials.secretAccessKey);
      expect(told).not.toContain("payload");
    }
  });

  test("without credentials the store says that they are missing", async () => {
    const credentials: S3ClientConfig["credentials"] = () =>
      Promise.reject(Object.assign(new Error("none"), { name: "CredentialsProviderError" }));
    const { store } = newStore({ client: clientConfig(server, { credentials }) });
    await expect(store.store(text("x"))).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("credentials"),
    });
  });
});

test("a stream counts as stored when it ends, however long ago its upload began", async () => {
  const server = await startDouble();
  onTestFinished(() => server.close());
  const store = new S3BlobStore(storeOptions(server, { partBytes: 5 * MIB }));
  for (const start of ["text", '{"', "\u0000"]) {
    const beganAtMs = Date.now();
    const writer = await store.openWriter();
    await writer.write(Buffer.from(start.padEnd(6 * MIB, " a word")));
    vi.useFakeTimers({ toFake: ["Date"], now: beganAtMs + LATER_MS });
    onTestFinished(() => void vi.useRealTimers());
    const { id, stat } = await writer.commit();
    vi.useRealTimers();
    const entry = (await entriesOf(store.list())).find((listed) => listed.id === id);
    expect(entry).toMatchObject({ id, byteCount: stat.byteCount });
    expect(entry?.storedAtMs).toBeGreaterThanOrEqual(beganAtMs + LATER_MS);
  }
});
