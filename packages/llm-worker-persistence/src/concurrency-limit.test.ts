import { expect, test } from "vitest";
import { ConcurrencyLimit } from "./concurrency-limit.js";

test("no more tasks than the limit run at a time, and waiting ones start in order", async () => {
  const limit = new ConcurrencyLimit(2);
  const started: number[] = [];
  const finish: (() => void)[] = [];
  const tasks = [0, 1, 2, 3].map((number) =>
    limit.run(async () => {
      started.push(number);
      await new Promise<void>((resolve) => finish.push(resolve));
      return number;
    }),
  );
  expect(started).toEqual([0, 1]);
  finish[1]?.();
  await tasks[1];
  finish[0]?.();
  await tasks[0];
  await expect.poll(() => started).toEqual([0, 1, 2, 3]);
  finish[2]?.();
  finish[3]?.();
  expect(await Promise.all(tasks)).toEqual([0, 1, 2, 3]);
});

test("a task that fails gives its place to the next", async () => {
  const limit = new ConcurrencyLimit(1);
  const failing = limit.run(() => Promise.reject(new Error("no")));
  const next = limit.run(() => Promise.resolve("next"));
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("next");
});
