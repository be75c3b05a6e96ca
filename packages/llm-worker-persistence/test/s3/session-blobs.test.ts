import { Worker } from "llm-worker";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { Session } from "../../src/index.js";
import { S3BlobStore } from "../../src/s3/index.js";
import { runCli } from "../support/run-cli.js";
import { says, ScriptedProvider } from "../support/scripted-provider.js";
import { SERVERS, type TestServer } from "./servers.js";
import { SessionPlace } from "./session-place.js";

describe.each(SERVERS)("sessions and blobs on %s", (_, start) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await start();
    vi.stubEnv("AWS_ACCESS_KEY_ID", server.credentials.accessKeyId);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", server.credentials.secretAccessKey);
    vi.stubEnv("AWS_REGION", server.region);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await server.close();
  });

  test("a session that one store has written is restored from another, and continued", async () => {
    const place = new SessionPlace(server, { compactAfterAppends: 3 });
    const provider = new ScriptedProvider(says("one"), says("two"), says("three"));
    const first = new Worker({ provider });
    const session = await Session.start(place.store(), first, { id: "s", trace: true });
    await first.run("1");
    await first.run("2");
    await session.close();
    expect(await place.names("traces/s")).not.toEqual([]);

    const opened = await Session.open(place.store(), "s");
    const second = Worker.restore(opened.snapshot, { provider });
    expect(second.items).toEqual(first.items);
    await opened.attach(second);
    await second.run("3");
    await opened.close();
    expect((await Session.open(place.store(), "s")).snapshot.items).toEqual(second.items);

    await first.run("nobody hears of this");
    const late = await Session.open(place.store(), "s");
    expect(late.snapshot.items).toEqual(second.items);
  });

  test("gc keeps the blobs that sessions in S3 name, compacted or not", async () => {
    const place = new SessionPlace(server);
    const blobs = new S3BlobStore(place.options);
    const ids: string[] = [];
    for (const text of ["named by one", "named by another", "named by none"]) {
      ids.push(await blobs.store({ type: "text", text }));
    }
    const [inFirst = "", inSecond = "", unnamed = ""] = ids;
    const sessions = place.store();
    for (const [id, blobId] of [
      ["s", inFirst],
      ["t", inSecond],
    ] as const) {
      const worker = new Worker({ provider: new ScriptedProvider(says("done")) });
      const session = await Session.start(sessions, worker, { id });
      await worker.run(`what is in [blob:${blobId}]?`);
      await session.close();
    }
    await sessions.compact("s");

    const at = `s3://${server.bucket}/${place.options.prefix ?? ""}`;
    const gc = ["--store", at, "--endpoint", server.endpoint, "gc", "--sessions", at];
    const all = ["--max-age", "0s", "--min-age", "0s", "--json"];
    onTestFinished(() => void vi.useRealTimers());
    // A server dates objects by whole seconds of its own clock.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    const { code, text, err } = await runCli([...gc, ...all]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(JSON.parse(text)).toMatchObject({
      deleted: [{ id: unnamed }],
      kept: { referenced: 2 },
    });
  });

  test("gc deletes nothing if the sessions cannot be read", async () => {
    const { options } = new SessionPlace(server);
    const blobs = new S3BlobStore(options);
    const id = await blobs.store({ type: "text", text: "x" });
    const store = `s3://${server.bucket}/${options.prefix ?? ""}`;
    const sessions = "s3://no-such-bucket-anywhere/x";
    const place = ["--store", store, "--endpoint", server.endpoint];
    const all = ["--max-age", "0s", "--min-age", "0s"];
    const { code, err } = await runCli([...place, "gc", "--sessions", sessions, ...all]);
    expect([code, err]).toEqual([1, expect.stringContaining("no-such-bucket-anywhere")]);
    expect(await blobs.exists(id)).toBe(true);
  });
});
