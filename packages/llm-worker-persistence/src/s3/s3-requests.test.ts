import { getEventListeners } from "node:events";
import { expect, test, vi } from "vitest";
import { S3Requests } from "./s3-requests.js";
import type { S3ClientLike } from "./s3-sdk.js";

/** A client that answers when it is told to, or when it is aborted. */
function waitingClient() {
  const waiting: { answer: () => void; abortSignal: AbortSignal }[] = [];
  const client = {
    send: (_command: object, { abortSignal }: { abortSignal: AbortSignal }) =>
      new Promise((resolve, reject) => {
        waiting.push({ answer: () => resolve({}), abortSignal });
        abortSignal.addEventListener("abort", () => reject(new Error("the request was aborted")));
      }),
  } as unknown as S3ClientLike; // as much of it as is used
  return { client, waiting };
}

const input = { Bucket: "bucket", Key: "key" };

async function started(waiting: readonly unknown[], count: number): Promise<void> {
  while (waiting.length < count) await new Promise(setImmediate);
}

test("however many requests follow a signal, it has one listener, and none when they have ended", async () => {
  const { client, waiting } = waitingClient();
  const requests = new S3Requests({ bucket: "bucket", client });
  const { signal } = new AbortController();
  const sent = Array.from({ length: 40 }, () => requests.send("GetObject", input, { signal }));
  await started(waiting, 40);
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  for (const { answer } of waiting) answer();
  await Promise.all(sent);
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
  expect(waiting.some(({ abortSignal }) => abortSignal.aborted)).toBe(false);
});

test("a request ends with the reason of the signal that it follows", async () => {
  const { client, waiting } = waitingClient();
  const requests = new S3Requests({ bucket: "bucket", client });
  const controller = new AbortController();
  const sent = requests.send("GetObject", input, { signal: controller.signal });
  await started(waiting, 1);
  controller.abort(new Error("the run is over"));
  await expect(sent).rejects.toThrow("the run is over");
  expect(waiting).toHaveLength(1);
});

test("a request that is not answered ends in time, each attempt of it", async () => {
  const { client, waiting } = waitingClient();
  const options = { bucket: "bucket", client, idleTimeoutMs: 5, maxAttempts: 3 };
  const requests = new S3Requests({ ...options, retryDelayMs: () => 0 });
  const { signal } = new AbortController();
  const sent = requests.send("GetObject", input, { signal });
  await expect(sent).rejects.toMatchObject({ reason: "IdleTimeout" });
  expect(waiting).toHaveLength(3);
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

test("attempts that are no number are refused: they would have no end", () => {
  const options = { bucket: "bucket", client: waitingClient().client, maxAttempts: Number.NaN };
  expect(() => new S3Requests(options)).toThrow("maxAttempts is NaN");
});

test("a time limit that is longer than any timer is not met at once", async () => {
  const { client, waiting } = waitingClient();
  const requests = new S3Requests({ bucket: "bucket", client, idleTimeoutMs: Infinity });
  const clock = vi.spyOn(globalThis, "setTimeout");
  const sent = requests.send("GetObject", input);
  await started(waiting, 1);
  expect(clock.mock.calls.map(([, ms]) => ms)).toEqual([2 ** 31 - 1]);
  clock.mockRestore();
  waiting[0]?.answer();
  await sent;
});
