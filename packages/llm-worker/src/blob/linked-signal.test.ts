import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { linkSignal } from "./linked-signal.js";

test("follows its parent, with the parent's reason, and has a will of its own", () => {
  const parent = new AbortController();
  const [one, other] = [linkSignal(parent.signal), linkSignal(parent.signal)];
  one.abort("mine");
  expect([one.signal.reason, other.signal.aborted, parent.signal.aborted]).toEqual([
    "mine",
    false,
    false,
  ]);
  parent.abort("theirs");
  expect([one.signal.reason, other.signal.reason]).toEqual(["mine", "theirs"]);
});

test("is aborted from the start if its parent is, and follows nobody without one", () => {
  expect(linkSignal(AbortSignal.abort("before")).signal.reason).toBe("before");
  const alone = linkSignal(undefined);
  alone.unlink();
  expect(alone.signal.aborted).toBe(false);
});

test("does not follow once unlinked, while others go on", () => {
  const parent = new AbortController();
  const [one, other] = [linkSignal(parent.signal), linkSignal(parent.signal)];
  one.unlink();
  one.unlink();
  parent.abort();
  expect([one.signal.aborted, other.signal.aborted]).toEqual([false, true]);
});

test("however many follow a signal, it has one listener, and none when they are gone", () => {
  const { signal } = new AbortController();
  const links = Array.from({ length: 100 }, () => linkSignal(signal));
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  for (const link of links) link.unlink();
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
  linkSignal(signal).unlink();
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

test("a follower that unlinks others while all are aborted does no harm", () => {
  const parent = new AbortController();
  const links = Array.from({ length: 3 }, () => linkSignal(parent.signal));
  links[0]?.signal.addEventListener("abort", () => links[2]?.unlink());
  parent.abort("over");
  expect(links.map(({ signal }) => signal.reason)).toEqual(["over", "over", "over"]);
});
