import { S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SERVERS, startDouble, type TestServer } from "./servers.js";
import { clientOptions, codeOf, line, SessionPlace, textOf } from "./session-place.js";

const PAGE_LENGTH = 7;

describe.each([...SERVERS, ["a double with short pages", () => startDouble(PAGE_LENGTH)] as const])(
  "compaction on %s",
  (_, start) => {
    let server: TestServer;
    let client: S3Client;

    beforeAll(async () => {
      server = await start();
      client = new S3Client(clientOptions(server));
    });
    afterAll(async () => {
      client.destroy();
      await server.close();
    });

    function texts(count: number): readonly string[] {
      return Array.from({ length: count }, (__, number) => `entry ${number}`);
    }

    test("a compacted log is one object, read and continued as before, and compacted again", async () => {
      const place = new SessionPlace(server);
      const store = await place.begin("a", "b", "é".repeat(3_000_000), "d");
      const before = await textOf(store);
      expect(await store.compact("s")).toEqual({ mergedCount: 4 });
      expect(await place.names()).toEqual(["000000000003.merged"]);
      expect((await textOf(place.store())) === before).toBe(true);
      expect(await store.compact("s")).toEqual({ mergedCount: 0 });
      await place.store().append("s", 4, line("e"));
      expect(await store.compact("s")).toEqual({ mergedCount: 2 });
      expect(await place.names()).toEqual(["000000000004.merged"]);
      expect((await textOf(store)) === `${before}e\n`).toBe(true);
      const sizes: number[] = [];
      for await (const { byteCount } of store.list()) sizes.push(byteCount);
      expect(sizes).toEqual([Buffer.byteLength(before) + 2]);
    });

    test("a log of more objects than a page of a listing is read, listed, compacted and deleted", async () => {
      const place = new SessionPlace(server);
      const store = await place.begin(...texts(3 * PAGE_LENGTH));
      await store.append("t", 0, line("another"));
      const all = `${texts(3 * PAGE_LENGTH).join("\n")}\n`;
      expect(await textOf(store)).toBe(all);
      const ids: string[] = [];
      for await (const { id } of store.list()) ids.push(id);
      expect(ids).toEqual(["s", "t"]);
      expect(await store.compact("s")).toEqual({ mergedCount: 3 * PAGE_LENGTH });
      expect(await textOf(store)).toBe(all);
      expect(await store.delete("s")).toBe(true);
      expect(await place.names()).toEqual([]);
    });

    test("a log that is compacted while it is read gives each entry once, and no later one", async () => {
      const place = new SessionPlace(server);
      const store = await place.begin(...texts(40));
      const other = place.store();
      const read: string[] = [];
      for await (const chunk of (await store.read("s")).chunks) {
        read.push(Buffer.from(chunk).toString());
        if (read.length !== 3) continue;
        await other.append("s", 40, line("later"));
        await other.compact("s");
        await other.append("s", 41, line("even later"));
        await other.compact("s");
      }
      expect(read.join("")).toBe(`${texts(40).join("\n")}\n`);
    });

    test("a log that is deleted while it is read is not_found, not short", async () => {
      const place = new SessionPlace(server);
      const { chunks } = await (await place.begin(...texts(40))).read("s");
      const reading = async (): Promise<void> => {
        for await (const __ of chunks) await place.store().delete("s");
      };
      expect(await codeOf(reading())).toBe("not_found");
    });

    test("a writer, readers and compactors at the same time do not notice each other", async () => {
      const place = new SessionPlace(server);
      const all = `${texts(40).join("\n")}\n`;
      const writer = await place.begin("entry 0");
      let isDone = false;
      async function write(): Promise<void> {
        for (const [position, text] of texts(40).entries()) {
          if (position > 0) await writer.append("s", position, line(text));
        }
        isDone = true;
      }
      async function compact(): Promise<void> {
        while (!isDone) await place.store().compact("s");
      }
      async function read(): Promise<void> {
        for (let last = ""; !isDone;) {
          const text = await textOf(place.store());
          expect(all.startsWith(text) && text.startsWith(last)).toBe(true);
          last = text;
        }
      }
      await Promise.all([write(), compact(), compact(), read(), read()]);
      expect(await textOf(place.store())).toBe(all);
    }, 30_000);

    test("who takes a place for the end that was merged long ago gets a conflict, and leaves nothing", async () => {
      const place = new SessionPlace(server);
      const store = await place.begin("a", "b");
      const stale = place.store();
      await stale.read("s");
      for (const [index, text] of ["c", "d"].entries()) {
        await store.append("s", 2 + index, line(text));
      }
      await store.compact("s");
      expect(await codeOf(stale.append("s", 2, line("x")))).toBe("session_conflict");
      expect(await codeOf(place.store().append("s", 0, line("x")))).toBe("session_conflict");
      expect(await place.names()).toEqual(["000000000003.merged"]);
      expect(await textOf(stale)).toBe("a\nb\nc\nd\n");
    });

    test("an append that finds its place merged succeeds if that was its own", async () => {
      const place = new SessionPlace(server);
      const store = await place.begin("a", "b");
      const writer = place.interrupted(client, () => store.compact("s"));
      await writer.read("s");
      expect(await writer.append("s", 2, line("x"))).toBe(3);
      expect(await place.names()).toEqual(["000000000002.merged"]);
      expect(await textOf(store)).toBe("a\nb\nx\n");
    });

    test("so it does if others have gone on and merged that as well", async () => {
      const place = new SessionPlace(server);
      const store = await place.begin("a", "b");
      const writer = place.interrupted(client, async () => {
        await store.compact("s");
        await place.store().append("s", 3, line("y"));
        await store.compact("s");
      });
      await writer.read("s");
      expect(await writer.append("s", 2, line("x"))).toBe(3);
      expect(await codeOf(writer.append("s", 3, line("z")))).toBe("session_conflict");
      expect(await place.names()).toEqual(["000000000003.merged"]);
      expect(await textOf(store)).toBe("a\nb\nx\ny\n");
    });

    test("it is a conflict if that was another, though of the same lines", async () => {
      const place = new SessionPlace(server);
      const store = await place.begin("a", "b");
      const writer = place.interrupted(client, async () => {
        // As if the other had been there before.
        await place.remove("000000000002.jsonl");
        await store.append("s", 2, line("x"));
        await store.compact("s");
      });
      await writer.read("s");
      expect(await codeOf(writer.append("s", 2, line("x")))).toBe("session_conflict");
      expect(await place.names()).toEqual(["000000000002.merged"]);
      expect(await textOf(store)).toBe("a\nb\nx\n");
    });

    test("of two compactions that make the same object the second removes nothing", async () => {
      const place = new SessionPlace(server);
      const store = await place.begin("a", "b", "c");
      const outcomes = await Promise.all([store.compact("s"), place.store().compact("s")]);
      expect(outcomes.some(({ mergedCount }) => mergedCount === 3)).toBe(true);
      expect(await place.names()).toEqual(["000000000002.merged"]);
      expect(await textOf(store)).toBe("a\nb\nc\n");
    });

    test("a compaction of a session that is deleted meanwhile leaves nothing", async () => {
      const place = new SessionPlace(server);
      await place.begin("a", "b");
      const compactor = place.interrupted(client, async () => {
        // As a deletion does that has looked for objects before.
        for (const name of ["000000000000.jsonl", "000000000001.jsonl"]) await place.remove(name);
      });
      expect(await codeOf(compactor.compact("s"))).toBe("not_found");
      expect(await place.names()).toEqual([]);
    });
  },
);
