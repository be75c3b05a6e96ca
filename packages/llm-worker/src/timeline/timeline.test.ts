import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { Event } from "../model/event.js";
import { blockCallback, eventCallback } from "./callbacks.js";
import { collectItems } from "./collectors.js";
import { textBlock, thinkingBlock, toolUseBlock, usage } from "./kinds.js";
import { Timeline } from "./timeline.js";

const start = (index: number): Event => ({ type: "block_start", index, kind: "text" });
const delta = (index: number, text: string): Event => ({ type: "block_delta", index, text });
const stop = (index: number): Event => ({ type: "block_stop", index });

describe("Timeline", () => {
  test("parallel blocks have separate scopes", () => {
    const timeline = new Timeline();
    const ended: string[] = [];
    timeline.on(textBlock, {
      open: () => ({ text: "" }),
      on(scope, event) {
        if (event.type === "block_delta") scope.text += event.text;
        if (event.type === "block_stop") ended.push(scope.text);
      },
    });
    for (const event of [start(0), start(1), delta(0, "a"), delta(1, "x"), delta(0, "b")]) {
      timeline.dispatch(event);
    }
    timeline.dispatch(stop(1));
    timeline.dispatch(stop(0));
    expect(ended).toEqual(["x", "ab"]);
  });

  test("a handler gets only its own kind", () => {
    const timeline = new Timeline();
    const seen = vi.fn();
    timeline.on(thinkingBlock, blockCallback(seen));
    timeline.on(usage, eventCallback(seen));
    timeline.dispatch(start(0));
    timeline.dispatch(delta(0, "a"));
    timeline.dispatch({ type: "ping" });
    expect(seen).not.toHaveBeenCalled();
    timeline.dispatch({ type: "usage", usage: { inputTokens: 1 } });
    expect(seen).toHaveBeenCalledTimes(1);
  });

  test("a removed handler hears nothing more, even of a block that is open", () => {
    const timeline = new Timeline();
    const seen = vi.fn();
    const remove = timeline.on(textBlock, blockCallback(seen));
    timeline.dispatch(start(0));
    remove();
    timeline.dispatch(delta(0, "a"));
    timeline.dispatch(start(1));
    expect(seen).toHaveBeenCalledTimes(1);
  });

  test("a handler that throws does not keep the others from their events", () => {
    const failures: unknown[] = [];
    const timeline = new Timeline({ onHandlerError: (error) => failures.push(error) });
    const seen = vi.fn();
    timeline.on(
      textBlock,
      blockCallback(() => {
        throw new Error("broken");
      }),
    );
    timeline.on(textBlock, blockCallback(seen));
    timeline.dispatch(start(0));
    timeline.dispatch(stop(0));
    expect(seen).toHaveBeenCalledTimes(2);
    expect(failures).toHaveLength(1);
  });

  test("an async handler that rejects is reported, and not waited for", async () => {
    const failures: unknown[] = [];
    const timeline = new Timeline({
      onHandlerError: (error, kindName) => failures.push(`${kindName}: ${String(error)}`),
    });
    // `unknown`, as a linter would otherwise see what is wrong.
    const fails = (what: string) => (): unknown => Promise.reject(new Error(what));
    timeline.on(textBlock, { open: fails("open"), on: fails("on") });
    timeline.on(usage, { open: () => undefined, on: fails("usage") });
    timeline.dispatch(start(0));
    timeline.dispatch(stop(0));
    timeline.dispatch({ type: "usage", usage: { inputTokens: 1 } });
    expect(failures).toEqual([]);
    await new Promise(setImmediate);
    expect(failures).toEqual(["text: Error: open", "text: Error: on", "usage: Error: usage"]);
  });

  test("without a place to report it, dispatch throws what a handler threw, after serving the others", () => {
    const timeline = new Timeline();
    const seen = vi.fn();
    timeline.on(textBlock, {
      open: () => undefined,
      on() {
        throw new Error("broken");
      },
    });
    timeline.on(textBlock, blockCallback(seen));
    timeline.dispatch(start(0));
    expect(() => timeline.dispatch(stop(0))).toThrow("broken");
    expect(seen).toHaveBeenCalledTimes(2);
    expect(timeline.openBlockCount).toBe(0);
  });

  test("whatever the order of events, each opened block ends exactly once", () => {
    const anyEvent = fc.oneof(
      fc.record({
        type: fc.constant("block_start" as const),
        index: fc.nat(3),
        kind: fc.constantFrom("text" as const, "thinking" as const),
      }),
      fc.record({ type: fc.constant("block_delta" as const), index: fc.nat(3), text: fc.string() }),
      fc.record({ type: fc.constant("block_stop" as const), index: fc.nat(3) }),
      fc.record({
        type: fc.constant("block_abort" as const),
        index: fc.nat(3),
        reason: fc.string(),
      }),
    );
    fc.assert(
      fc.property(fc.array(anyEvent), (events) => {
        const timeline = new Timeline();
        const endings: number[] = [];
        for (const kind of [textBlock, thinkingBlock]) {
          timeline.on<Event, number>(kind, {
            open: () => endings.push(0) - 1,
            on(block, event) {
              if (endings[block] !== 0) throw new Error("an event behind the end");
              if (event.type === "block_stop" || event.type === "block_abort") endings[block] = 1;
            },
          });
        }
        for (const event of events) timeline.dispatch(event);
        timeline.abortOpen("the stream broke");
        expect(endings.every((count) => count === 1)).toBe(true);
      }),
    );
  });
});

describe("collectItems", () => {
  test("items come in the order in which their blocks began", () => {
    const timeline = new Timeline();
    const slots = collectItems(timeline);
    const events: Event[] = [
      { type: "block_start", index: 0, kind: "thinking" },
      { type: "block_start", index: 1, kind: "tool_use", callId: "c1", name: "read" },
      { type: "block_delta", index: 1, text: '{"path":' },
      { type: "block_delta", index: 0, text: "hm" },
      { type: "block_delta", index: 1, text: '"a"}' },
      { type: "block_stop", index: 1 },
      {
        type: "block_stop",
        index: 0,
        providerData: { scheme: "s", model: "m", data: { signature: "x" } },
      },
    ];
    for (const event of events) timeline.dispatch(event);
    expect(slots.items).toEqual([
      {
        type: "reasoning",
        text: "hm",
        providerData: { scheme: "s", model: "m", data: { signature: "x" } },
      },
      { type: "tool_call", callId: "c1", name: "read", arguments: '{"path":"a"}' },
    ]);
  });

  test("an aborted call or thought leaves nothing, an aborted text what had arrived", () => {
    const timeline = new Timeline();
    const slots = collectItems(timeline);
    timeline.dispatch(start(0));
    timeline.dispatch(delta(0, "half"));
    timeline.dispatch({ type: "block_start", index: 1, kind: "tool_use", callId: "c", name: "t" });
    timeline.dispatch(delta(1, '{"a'));
    timeline.dispatch({ type: "block_start", index: 2, kind: "thinking" });
    timeline.dispatch(delta(2, "so"));
    timeline.abortOpen("cut");
    expect(slots.items).toEqual([]);
    expect(slots.itemsWithPartialText).toEqual([
      { type: "message", role: "assistant", content: [{ type: "text", text: "half" }] },
    ]);
  });

  test("an empty block leaves an item only if something has to go back with it", () => {
    const timeline = new Timeline();
    const slots = collectItems(timeline);
    const providerData = { scheme: "s", model: "m", data: { signature: "x" } };
    const thought = { type: "block_start", index: 0, kind: "thinking" } as const;
    for (const begin of [start(0), thought]) {
      for (const end of [stop(0), { ...stop(0), providerData }]) {
        timeline.dispatch(begin);
        timeline.dispatch(end);
      }
    }
    expect(slots.items).toEqual([
      { type: "message", role: "assistant", content: [{ type: "text", text: "" }], providerData },
      { type: "reasoning", text: "", providerData },
    ]);
  });

  test("what only its provider understands is an item in its place, once it is whole", () => {
    const timeline = new Timeline();
    const slots = collectItems(timeline);
    const providerData = { scheme: "s", model: "m", data: { type: "search" } };
    const opaque = { type: "block_start", kind: "opaque", name: "search" } as const;
    for (const index of [0, 1, 2]) timeline.dispatch({ ...opaque, index });
    timeline.dispatch({ type: "block_stop", index: 1, providerData });
    timeline.dispatch(stop(0));
    expect(timeline.openBlocks).toEqual([2]);
    timeline.abortOpen("cut");
    expect(timeline.openBlocks).toEqual([]);
    expect(slots.itemsWithPartialText).toEqual([{ type: "opaque", providerData }]);
    expect(slots.items).toEqual([{ type: "opaque", providerData }]);
  });

  test("an answer that begins anew counts from there", () => {
    const timeline = new Timeline();
    const slots = collectItems(timeline);
    for (const event of [start(0), delta(0, "first"), stop(0)]) timeline.dispatch(event);
    timeline.dispatch({ type: "status", status: "response_restarted" });
    for (const event of [start(0), delta(0, "second"), stop(0)]) timeline.dispatch(event);
    expect(slots.items).toMatchObject([{ content: [{ text: "second" }] }]);
  });

  test("half a character from a model is repaired before it enters an item", () => {
    const timeline = new Timeline();
    const slots = collectItems(timeline);
    for (const event of [start(0), delta(0, "a\ud83d"), stop(0)]) timeline.dispatch(event);
    expect(slots.items).toMatchObject([{ content: [{ text: "a\ufffd" }] }]);
  });

  test("a character that is cut between two deltas is whole in the item", () => {
    const timeline = new Timeline();
    const slots = collectItems(timeline);
    for (const event of [start(0), delta(0, "a\ud83d"), delta(0, "\ude00"), stop(0)]) {
      timeline.dispatch(event);
    }
    expect(slots.items).toMatchObject([{ content: [{ text: "a😀" }] }]);
  });
});

describe("blockCallback", () => {
  test("tells start, deltas and the whole text at the end, with the call it belongs to", () => {
    const timeline = new Timeline();
    const seen: unknown[] = [];
    timeline.on(
      toolUseBlock,
      blockCallback((moment, begun) =>
        seen.push([moment, begun.type === "block_start" && begun.name]),
      ),
    );
    timeline.dispatch({ type: "block_start", index: 4, kind: "tool_use", callId: "c", name: "t" });
    timeline.dispatch(delta(4, "{"));
    timeline.dispatch(delta(4, "}"));
    timeline.dispatch({ type: "block_abort", index: 4, reason: "cut" });
    expect(seen).toEqual([
      [{ type: "start", index: 4 }, "t"],
      [{ type: "delta", index: 4, text: "{" }, "t"],
      [{ type: "delta", index: 4, text: "}" }, "t"],
      [{ type: "abort", index: 4, text: "{}", reason: "cut" }, "t"],
    ]);
  });
});
