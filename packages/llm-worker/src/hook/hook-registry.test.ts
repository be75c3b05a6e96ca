import { describe, expect, expectTypeOf, test, vi } from "vitest";
import { userMessage } from "../model/item.js";
import type { Hook } from "./hook.js";
import { HookError, HookRegistry } from "./hook-registry.js";

const signal = new AbortController().signal;
const facts = { turn: 1, callId: "c", name: "t", input: 1 };

function runPreToolCall(hooks: HookRegistry): ReturnType<HookRegistry["run"]> {
  return hooks.run("preToolCall", facts, signal, (before, decision) =>
    "input" in decision ? { ...before, input: decision.input } : undefined,
  );
}

describe("HookRegistry", () => {
  test("a rewrite is what the next hook is told", async () => {
    const hooks = new HookRegistry();
    hooks.add("preToolCall", ({ input }) => ({ input: [input] }));
    hooks.add("preToolCall", ({ input }) => ({ input: [input, 2] }));
    expect(await runPreToolCall(hooks)).toEqual({ facts: { ...facts, input: [[1], 2] } });
  });

  test("the first decision that is no rewrite ends the point", async () => {
    const hooks = new HookRegistry();
    const called: string[] = [];
    hooks.add("preToolCall", () => void called.push("first"));
    hooks.add("preToolCall", () => (called.push("second"), { deny: "no" }));
    hooks.add("preToolCall", () => void called.push("third"));
    expect(await runPreToolCall(hooks)).toEqual({ facts, ended: { deny: "no" } });
    expect(called).toEqual(["first", "second"]);
  });

  test("an error carries the hook's name and its point", async () => {
    const hooks = new HookRegistry();
    const error = new Error("no database");
    hooks.add("onTurnStart", function audit() {
      throw error;
    });
    await expect(hooks.run("onTurnStart", { turn: 1 }, signal)).rejects.toMatchObject({
      code: "hook_failed",
      point: "onTurnStart",
      hookName: "audit",
      cause: error,
    });
  });

  test.each([{ denied: "no" }, "deny", false, 1, []])(
    "what is no decision of the point, such as %j, is an error and lets nothing through",
    async (returned) => {
      const hooks = new HookRegistry();
      // As a program in JavaScript might.
      const guard = (): never => returned as never;
      hooks.add("preToolCall", guard);
      await expect(runPreToolCall(hooks)).rejects.toThrow(
        "hook guard at preToolCall failed: it returned no decision of this point: " +
          "return nothing, or an object with input or skip or deny or pause or stop",
      );
    },
  );

  test.each([
    { input: 2, deny: "no" },
    { input: 2, pause: "ask" },
    { skip: 1, stop: "enough" },
  ])(
    "two decisions at once, such as %j, are an error and let nothing through",
    async (returned) => {
      const hooks = new HookRegistry();
      hooks.add("preToolCall", () => returned);
      const [one, other] = Object.keys(returned);
      await expect(runPreToolCall(hooks)).rejects.toThrow(
        `it returned ${one} and ${other} at once: `,
      );
    },
  );

  test("a point that only watches passes over what a hook returns", async () => {
    const hooks = new HookRegistry();
    const called: string[] = [];
    hooks.add("onAbort", () => called.push("first") as never);
    hooks.add("onAbort", () => void called.push("second"));
    await hooks.run("onAbort", { reason: "enough" }, signal);
    expect(called).toEqual(["first", "second"]);
  });

  test("refuses a point that there is not", () => {
    const hooks = new HookRegistry();
    // @ts-expect-error there is no such point
    expect(() => hooks.add("onStart", () => undefined)).toThrow("there is no such point, use onP");
  });

  test("a hook that does not come back is stopped at its limit", async () => {
    const hooks = new HookRegistry({ timeoutMs: 5 });
    let ofHook: AbortSignal | undefined;
    const approval = (_facts: unknown, given: AbortSignal): Promise<void> => {
      ofHook = given;
      return new Promise(() => {});
    };
    hooks.add("onTurnStart", approval);
    await expect(hooks.run("onTurnStart", { turn: 1 }, signal)).rejects.toThrow(HookError);
    expect(ofHook?.aborted).toBe(true);
  });

  test("an abort does not wait for a hook", async () => {
    const abort = new AbortController();
    const hooks = new HookRegistry();
    hooks.add("onTurnStart", () => {
      abort.abort(new Error("enough"));
      return new Promise(() => {});
    });
    await expect(hooks.run("onTurnStart", { turn: 1 }, abort.signal)).rejects.toThrow("enough");
  });

  test("a hook that answers at once costs no clock", async () => {
    const clock = vi.spyOn(globalThis, "setTimeout");
    const hooks = new HookRegistry();
    hooks.add("onTurnStart", () => undefined);
    hooks.add("onTurnStart", () => ({ stop: "enough" }));
    const { ended } = await hooks.run("onTurnStart", { turn: 1 }, signal);
    expect(ended).toEqual({ stop: "enough" });
    expect(clock).not.toHaveBeenCalled();
    clock.mockRestore();
  });

  test("a decision that comes with an abort does not count", async () => {
    const abort = new AbortController();
    const hooks = new HookRegistry();
    hooks.add("onTurnStart", () => {
      abort.abort(new Error("enough"));
      return { stop: "no" };
    });
    await expect(hooks.run("onTurnStart", { turn: 1 }, abort.signal)).rejects.toThrow("enough");
  });

  test("a removed hook is not called", async () => {
    const hooks = new HookRegistry();
    const remove = hooks.add("onTurnStart", () => ({ stop: "no" }));
    remove();
    expect(hooks.has("onTurnStart")).toBe(false);
    expect(await hooks.run("onTurnStart", { turn: 1 }, signal)).toEqual({ facts: { turn: 1 } });
  });

  test("a decision that a point cannot carry out does not compile", () => {
    expectTypeOf<Hook<"onTurnStart">>().toBeCallableWith({ turn: 1 }, signal);
    const hooks = new HookRegistry();
    // @ts-expect-error a turn's start cannot deny
    hooks.add("onTurnStart", () => ({ deny: "no" }));
    // @ts-expect-error onPause only watches
    hooks.add("onPause", () => ({ stop: "no" }));
    hooks.add("onPromptSubmit", () => ({ item: userMessage("changed") }));
  });
});
