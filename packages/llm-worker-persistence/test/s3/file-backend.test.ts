import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { S3FileBackend, type S3Options } from "../../src/s3/index.js";
import { type Fault, type FaultProxy, startFaultProxy } from "./fault-proxy.js";
import { clientConfig, SERVERS, storeOptions, type TestServer } from "./servers.js";

const MIB = 1024 * 1024;
const PATH = "/large_tool_result/call_1.txt";

async function* chunksOf(...chunks: readonly (string | Uint8Array)[]): AsyncIterable<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

describe.each(SERVERS)("S3FileBackend on %s", (_, start) => {
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

  function newBackend(changes: Partial<S3Options> = {}): S3FileBackend {
    const client = clientConfig({ ...server, endpoint: proxy.url });
    return new S3FileBackend(
      storeOptions(server, { client, partBytes: 5 * MIB, maxAttempts: 3, ...changes }),
    );
  }

  async function textOf(backend: S3FileBackend, path: string): Promise<string> {
    const { byteCount } = await backend.stat(path);
    return Buffer.from(await backend.read(path, 0, byteCount)).toString();
  }

  test("a file is what was written, in whole and in part", async () => {
    const backend = newBackend();
    proxy.rules();
    const path = await backend.write(PATH, chunksOf("one ", "two ", "three"));
    expect(await backend.stat(path)).toEqual({ byteCount: 13 });
    expect(Buffer.from(await backend.read(path, 4, 7)).toString()).toBe("two");
    expect(Buffer.from(await backend.read(path, -3, 3)).toString()).toBe("one");
    expect(Buffer.from(await backend.read(path, 8, Infinity)).toString()).toBe("three");
    expect(await backend.read(path, 13, 20)).toHaveLength(0);
    expect(await backend.read(path, 5, 5)).toHaveLength(0);
    expect(await backend.read(path, 6, 2)).toHaveLength(0);
  });

  test("an empty file is a file", async () => {
    const backend = newBackend();
    const path = await backend.write(PATH, chunksOf());
    expect(await backend.stat(path)).toEqual({ byteCount: 0 });
    expect(await backend.read(path, 0, 10)).toHaveLength(0);
  });

  test("no file is written of what are no bytes", async () => {
    const backend = newBackend();
    proxy.rules();
    // As a program in JavaScript might.
    const chunks = Readable.from([new ArrayBuffer(8)]) as AsyncIterable<Uint8Array>;
    await expect(backend.write(PATH, chunks)).rejects.toThrow("bytes have to be a Uint8Array");
    await expect(backend.stat(PATH)).rejects.toMatchObject({ code: "not_found" });
  });

  test("no file is overwritten, not even by writes of one path at the same time", async () => {
    const backend = newBackend();
    proxy.rules();
    const values = Array.from({ length: 8 }, (__, number) => `value ${number}`);
    const paths = await Promise.all(values.map((value) => backend.write(PATH, chunksOf(value))));
    expect(new Set(paths).size).toBe(values.length);
    const read = await Promise.all(paths.map((path) => textOf(backend, path)));
    expect(read).toEqual(values);
    for (const path of paths) {
      expect(path).toMatch(/^\/large_tool_result\/call_1(-[0-9a-f]{8})?\.txt$/);
    }
  });

  test("a file of several parts is read and verified like any other, and deleted with its checksums", async () => {
    const backend = newBackend();
    proxy.rules();
    const bytes = Buffer.alloc(6 * MIB, "a line of a log\n");
    const path = await backend.write(
      PATH,
      chunksOf(bytes.subarray(0, 3 * MIB), bytes.subarray(3 * MIB)),
    );
    expect(await textOf(backend, path)).toBe(bytes.toString());
    const name = path.split("/").at(-1) ?? "";
    proxy.rules({ operation: "GetObject", keyEnd: name, fault: { type: "corrupt", at: 10 } });
    await expect(backend.read(path, MIB, MIB + 100)).rejects.toMatchObject({ code: "corrupt" });
    expect(await backend.delete(path)).toBe(true);
    expect(await backend.delete(path)).toBe(false);
    await expect(backend.stat(path)).rejects.toMatchObject({ code: "not_found" });
  });

  test("what arrives changed is corrupt", async () => {
    const backend = newBackend();
    const path = await backend.write(PATH, chunksOf("as it is"));
    proxy.rules({ operation: "GetObject", fault: { type: "corrupt", at: 3 } });
    await expect(backend.read(path, 0, 4)).rejects.toMatchObject({ code: "corrupt" });
  });

  test("a file whose acknowledgement is lost is stored once, under the name that was asked for", async () => {
    const backend = newBackend();
    proxy.rules();
    // Where a server has no conditional writes this is another name each time.
    const usual = await backend.write(PATH, chunksOf("first"));
    expect(await backend.delete(usual)).toBe(true);
    proxy.rules({ operation: "PutObject", fault: { type: "reset_after" } });
    const path = await backend.write(PATH, chunksOf("x"));
    expect(await textOf(backend, path)).toBe("x");
    expect(path === PATH).toBe(usual === PATH);
  });

  test("if the chunks or the upload fail, nothing is left", async () => {
    const backend = newBackend();
    proxy.rules();
    async function* failing(): AsyncIterable<Uint8Array> {
      yield Buffer.alloc(6 * MIB, "x");
      throw new Error("the tool failed");
    }
    await expect(backend.write(PATH, failing())).rejects.toThrow("the tool failed");
    const aborted = proxy.log.filter(({ operation }) => operation === "AbortMultipartUpload");
    expect(aborted).toHaveLength(1);

    const fault: Fault = { type: "reset_after" };
    proxy.rules({ operation: "PutObject", times: 3, fault });
    await expect(backend.write(PATH, chunksOf("x"))).rejects.toMatchObject({ code: "unavailable" });
    await expect(backend.stat(PATH)).rejects.toMatchObject({ code: "not_found" });
  });

  test("a path that leads elsewhere is refused before anything is asked", async () => {
    const backend = newBackend();
    proxy.rules();
    for (const path of ["/../x", "/a//b", "/.hidden", ""]) {
      await expect(backend.write(path, chunksOf("x"))).rejects.toMatchObject({
        code: "invalid_id",
      });
      await expect(backend.read(path, 0, 1)).rejects.toMatchObject({ code: "invalid_id" });
    }
    expect(proxy.log).toEqual([]);
  });
});
