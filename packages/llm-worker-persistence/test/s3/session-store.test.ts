import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { S3SessionStore } from "../../src/s3/index.js";
import { clientConfig, SERVERS, storeOptions, type TestServer } from "./servers.js";
import { codeOf, line, SessionPlace, textOf } from "./session-place.js";

describe.each(SERVERS)("S3SessionStore on %s", (_, start) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.close());

  test("each append is an object of its own that any tool can read", async () => {
    const place = new SessionPlace(server);
    await place.begin("a", "b", "c");
    expect(await place.names()).toEqual([
      "000000000000.jsonl",
      "000000000001.jsonl",
      "000000000002.jsonl",
    ]);
  });

  test.each([{ appendCount: 200 }, { appendCount: 40, compactAfterAppends: 3 }])(
    "of two writers exactly one wins each append: %o",
    async ({ appendCount, ...options }) => {
      const place = new SessionPlace(server, options);
      const writers = [place.store(), place.store()];
      const won: string[] = [];
      for (let position = 0; position < appendCount; position += 1) {
        const texts = writers.map((__, number) => `append ${position} of writer ${number}`);
        const codes = await Promise.all(
          writers.map((writer, n) => codeOf(writer.append("s", position, line(texts[n] ?? "")))),
        );
        expect(codes.toSorted()).toEqual(["no error", "session_conflict"]);
        won.push(texts[codes.indexOf("no error")] ?? "");
      }
      expect(await textOf(place.store())).toBe(`${won.join("\n")}\n`);
    },
    30_000,
  );

  test("an append to a session that was deleted by somebody else leaves nothing", async () => {
    const place = new SessionPlace(server);
    const store = await place.begin("a", "b");
    await place.store().delete("s");
    expect(await codeOf(store.append("s", 2, line("x")))).toBe("not_found");
    expect(await place.names()).toEqual([]);
  });

  test("what was deleted in part is no session, is not begun again, and can be deleted", async () => {
    const place = new SessionPlace(server);
    await place.begin("a", "b");
    await place.remove("000000000000.jsonl");
    const store = place.store();
    expect(await codeOf(store.read("s"))).toBe("not_found");
    expect(await codeOf(store.append("s", 0, line("x")))).toBe("session_conflict");
    expect(await store.delete("s")).toBe(true);
    expect(await store.append("s", 0, line("new"))).toBe(1);
    expect(await textOf(store)).toBe("new\n");
  });

  test("a log with a gap is read up to it, is corrupt there, and not continued in the gap", async () => {
    const place = new SessionPlace(server);
    const store = await place.begin("a", "b", "c", "d");
    await place.remove("000000000002.jsonl");
    const read: string[] = [];
    const reading = async (): Promise<void> => {
      const { chunks } = await store.read("s");
      for await (const chunk of chunks) read.push(Buffer.from(chunk).toString());
    };
    await expect(reading()).rejects.toMatchObject({ code: "corrupt", sessionId: "s" });
    expect(read).toEqual(["a\n", "b\n"]);
    expect(await codeOf(place.store().append("s", 2, line("x")))).toBe("session_conflict");
  });

  test("a trace is kept in pieces beside the log, and deleted with it", async () => {
    const place = new SessionPlace(server);
    const store = await place.begin("a");
    await store.appendTrace("s", line("one"));
    await place.store().appendTrace("s", line("two"));
    expect(await place.names("traces/s")).toHaveLength(2);
    expect(await codeOf(store.appendTrace("t", line("one")))).toBe("not_found");
    await store.delete("s");
    expect(await place.names("traces/s")).toEqual([]);
  });

  test("a bucket that is not there and rights that are missing are told as such", async () => {
    const credentials = { accessKeyId: "nobody", secretAccessKey: "a-secret-of-nobody" };
    for (const [changes, code] of [
      [{ bucket: "no-such-bucket-anywhere" }, "unavailable"],
      [{ client: clientConfig(server, { credentials }) }, "forbidden"],
    ] as const) {
      const store = new S3SessionStore(storeOptions(server, changes));
      expect(await codeOf(store.append("s", 0, line("a")))).toBe(code);
      expect(await codeOf(store.read("s"))).toBe(code);
      expect(await codeOf(store.list()[Symbol.asyncIterator]().next())).toBe(code);
      expect(await codeOf(store.delete("s"))).toBe(code);
      expect(await codeOf(store.compact("s"))).toBe(code);
    }
  });

  test("an option that makes no sense is refused at once", () => {
    for (const compactAfterAppends of [1, 2.5, NaN]) {
      const options = { ...storeOptions(server), compactAfterAppends };
      expect(() => new S3SessionStore(options)).toThrow(RangeError);
    }
  });
});
