import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Item } from "../model/item.js";
import { userMessage } from "../model/item.js";
import {
  ConversationBuilder,
  type ConversationMessage,
  MISSING_RESULT_TEXT,
  toConversation,
} from "./conversation.js";

const call = (callId: string): Item => ({ type: "tool_call", callId, name: "t", arguments: "" });
const result = (callId: string, summary = "ok"): Item => ({ type: "tool_result", callId, summary });
const said = (text: string): Item => ({
  type: "message",
  role: "assistant",
  content: [{ type: "text", text }],
});
const user = userMessage;

const sides = (messages: readonly ConversationMessage[]): unknown[] =>
  messages.map(({ role, entries }) => [
    role,
    ...entries.map(({ item, callId }) =>
      callId === undefined ? item.type : `${item.type} ${callId}`,
    ),
  ]);

describe("a history", () => {
  test("is merged by side, results before what the user says", () => {
    const items = [user("a"), user("b"), said("c"), call("1"), user("d"), result("1"), said("e")];
    expect(sides(toConversation(items))).toEqual([
      ["user", "message", "message"],
      ["assistant", "message", "tool_call 1"],
      ["user", "tool_result 1", "message"],
      ["assistant", "message"],
    ]);
  });

  test("A1: gets an error result for a call that has none", () => {
    const messages = toConversation([call("1"), call("2"), result("2"), said("x"), call("3")]);
    expect(sides(messages)).toEqual([
      ["assistant", "tool_call 1", "tool_call 2"],
      ["user", "tool_result 2", "tool_result 1"],
      ["assistant", "message", "tool_call 3"],
      ["user", "tool_result 3"],
    ]);
    expect(messages[1]?.entries[1]).toMatchObject({
      position: 0,
      item: { summary: MISSING_RESULT_TEXT, isError: true },
    });
  });

  test("A2: loses a result without a call, a late one, and a second one", () => {
    const items = [result("0"), call("1"), result("1"), result("1"), said("x"), result("1")];
    expect(sides(toConversation(items))).toEqual([
      ["assistant", "tool_call 1"],
      ["user", "tool_result 1"],
      ["assistant", "message"],
    ]);
  });

  test("F17: tells apart calls of the same id, in their results too", () => {
    const first = result("1", "first");
    const second = result("1", "second");
    const messages = toConversation([call("1"), call("1"), first, second, call("1")]);
    expect(sides(messages)).toEqual([
      ["assistant", "tool_call 1", "tool_call 1#2"],
      ["user", "tool_result 1", "tool_result 1#2"],
      ["assistant", "tool_call 1#3"],
      ["user", "tool_result 1#3"],
    ]);
    expect(messages[1]?.entries.map(({ item }) => item)).toEqual([first, second]);
  });
});

const anyItem = fc.oneof(
  fc.constantFrom("1", "2", "1#2").map(call),
  fc.constantFrom("1", "2", "1#2").map((id) => result(id)),
  fc.constant(user("u")),
  fc.constant(said("a")),
);

test("any history takes turns and pairs each call with exactly one result right after it", () => {
  fc.assert(
    fc.property(fc.array(anyItem, { maxLength: 30 }), (items) => {
      const messages = toConversation(items);
      const seen = new Set<string | undefined>();
      messages.forEach(({ role, entries }, at) => {
        expect(messages[at + 1]?.role).not.toBe(role);
        const calls = entries.filter(({ item }) => item.type === "tool_call");
        for (const { callId } of calls) {
          expect(seen.has(callId)).toBe(false);
          seen.add(callId);
        }
        const next = role === "assistant" ? (messages[at + 1]?.entries ?? []) : [];
        const results = next.filter(({ item }) => item.type === "tool_result");
        const idsOf = (list: typeof entries): Set<unknown> => new Set(list.map((e) => e.callId));
        expect(idsOf(results)).toEqual(idsOf(calls));
        expect(results).toHaveLength(calls.length);
      });
    }),
  );
});

test("what became of an item stays when the history grows by another turn", () => {
  fc.assert(
    fc.property(fc.array(anyItem, { maxLength: 20 }), fc.array(anyItem), (before, after) => {
      const closed = [...before, user("stop"), said("end of turn")];
      const grown = toConversation([...closed, ...after]);
      const kept = toConversation(closed).slice(0, -1);
      expect(sides(grown.slice(0, kept.length))).toEqual(sides(kept));
    }),
  );
});

test("what was not kept is taken back, its call ids too", () => {
  const builder = new ConversationBuilder();
  builder.add(call("1"), 0);
  builder.add(result("1"), 1);
  expect(sides(builder.closeBefore(call("1")))).toEqual([
    ["assistant", "tool_call 1"],
    ["user", "tool_result 1"],
  ]);
  builder.keep();
  for (let request = 0; request < 2; request += 1) {
    builder.restart();
    builder.add(call("1"), 2);
    builder.add(call("1"), 3);
    expect(sides(builder.open())[0]).toEqual(["assistant", "tool_call 1#2", "tool_call 1#3"]);
  }
});
