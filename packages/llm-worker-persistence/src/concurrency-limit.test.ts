import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { ConcurrencyLimit, forEachAtOnce } from "./concurrency-limit.js";

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

test("after a failure no more values are begun, and nothing goes on once it is told", async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const all = forEachAtOnce([0, 1, 2, 3, 4, 5], 2, async (value) => {
    begun.push(value);
    if (value === 2) throw new Error("no");
    await setImmediate();
    await setImmediate();
    ended.push(value);
  });
  await expect(all).rejects.toThrow("no");
  const soFar = [[...begun], [...ended]];
  expect(begun).not.toContain(5);
  expect(new Set([...ended, 2])).toEqual(new Set(begun));
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
  expect([begun, ended]).toEqual(soFar);
});

test("each value is begun once, in order, and of none nothing is", async () => {
  const begun: number[] = [];
  await forEachAtOnce([3, 1, 2], 16, async (value) => void begun.push(value));
  await forEachAtOnce([], 16, () => Promise.reject(new Error("never")));
  expect(begun).toEqual([3, 1, 2]);
});
