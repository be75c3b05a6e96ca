import { S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { S3ClientLike, S3SessionStore } from "../../src/s3/index.js";
import { SERVERS, type TestServer } from "./servers.js";
import { clientOptions, codeOf, line, SessionPlace, textOf } from "./session-place.js";

/** More requests than any one call here sends. */
const MAX_REQUESTS = 30;

describe.each(SERVERS)("a process that uses S3SessionStore on %s", (_, start) => {
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

  /** Of this client's requests so many are answered; the next one may still be carried out. */
  function dying(requestCount: number, last: "is lost" | "arrives"): S3ClientLike {
    let sent = 0;
    return {
      config: client.config,
      async send(command: never, options) {
        sent += 1;
        if (sent <= requestCount) return client.send(command, options);
        if (sent === requestCount + 1 && last === "arrives") await client.send(command, options);
        throw new Error("the process has died");
      },
    };
  }

  /** Lets a call die at each of its requests, and tells of what is left each time. */
  async function dyingEverywhere(
    last: "is lost" | "arrives",
    call: (store: S3SessionStore) => Promise<unknown>,
    check: (place: SessionPlace) => Promise<void>,
  ): Promise<void> {
    for (let requestCount = 0; requestCount < MAX_REQUESTS; requestCount += 1) {
      const place = new SessionPlace(server);
      const before = await place.begin("a", "b");
      await before.compact("s");
      for (const [index, text] of ["c", "d"].entries()) {
        await before.append("s", 2 + index, line(text));
      }
      const store = place.store({ client: dying(requestCount, last), maxAttempts: 1 });
      const code = await codeOf(call(store));
      await check(place);
      if (code === "no error") return;
    }
    throw new Error("the call never comes to its end");
  }

  const LOG = "a\nb\nc\nd\n";

  describe.each(["is lost", "arrives"] as const)("and dies, when its last request %s,", (last) => {
    test("in an append leaves it in the log whole or not at all", async () => {
      await dyingEverywhere(
        last,
        (store) => store.append("s", 4, line("x")),
        async (place) => {
          const text = await textOf(place.store());
          expect([LOG, `${LOG}x\n`]).toContain(text);
          const store = place.store();
          const { position } = await store.read("s");
          await store.append("s", position, line("y"));
          expect(await textOf(store)).toBe(`${text}y\n`);
        },
      );
    });

    test("in a compaction leaves the log as it was, and the next compaction makes it one object", async () => {
      await dyingEverywhere(
        last,
        (store) => store.compact("s"),
        async (place) => {
          expect(await textOf(place.store())).toBe(LOG);
          expect(await place.store().append("s", 4, line("x"))).toBe(5);
          await place.store().compact("s");
          expect(await place.names()).toEqual(["000000000004.merged"]);
          expect(await textOf(place.store())).toBe(`${LOG}x\n`);
        },
      );
    });

    test("in a deletion leaves the log whole or none, and the next deletion nothing", async () => {
      await dyingEverywhere(
        last,
        (store) => store.delete("s"),
        async (place) => {
          const store = place.store();
          const code = await codeOf(store.read("s"));
          const left = code === "no error" ? await textOf(store) : code;
          expect([LOG, "not_found"]).toContain(left);
          await place.store().delete("s");
          expect(await place.names()).toEqual([]);
          expect(await store.append("s", 0, line("new"))).toBe(1);
        },
      );
    });
  });
});
