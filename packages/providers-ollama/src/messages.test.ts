import { call, opaque, result, said, user } from "@llm-worker/wire-testing";
import { type Item, MISSING_RESULT_TEXT } from "llm-worker";
import { describe, expect, test } from "vitest";
import { bodyOf, bodyText, messagesOf, MODEL, thought } from "../test/history.js";

describe("messages", () => {
  test("are one for each of the user's items and one for each turn of the model", () => {
    expect(
      bodyOf({
        systemPrompt: "Be brief.",
        items: [
          user("a"),
          user("b"),
          thought(),
          said("c"),
          call("1"),
          result("1"),
          said("d"),
          user("e"),
        ],
      })["messages"],
    ).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "a" },
      { role: "user", content: "b" },
      {
        role: "assistant",
        content: "c",
        thinking: " hm\n",
        tool_calls: [{ id: "1", function: { name: "add", arguments: {} } }],
      },
      { role: "tool", content: "ok", tool_name: "add", tool_call_id: "1" },
      { role: "assistant", content: "d" },
      { role: "user", content: "e" },
    ]);
  });

  test("L6: give results right after their calls, in the order of the calls", () => {
    const items = [
      user("a"),
      call("1"),
      call("2"),
      user("b"),
      result("2", "two"),
      result("1", "one"),
    ];
    expect(messagesOf(items).slice(2)).toEqual([
      { role: "tool", content: "one", tool_name: "add", tool_call_id: "1" },
      { role: "tool", content: "two", tool_name: "add", tool_call_id: "2" },
      { role: "user", content: "b" },
    ]);
  });

  test("L6: name the tool of each result, also where ids are used again", () => {
    const other: Item = { type: "tool_call", callId: "1", name: "other", arguments: "" };
    const messages = messagesOf([user("a"), call("1"), result("1"), other, result("1")]);
    expect(messages.filter(({ role }) => role === "tool")).toMatchObject([
      { tool_name: "add", tool_call_id: "1" },
      { tool_name: "other", tool_call_id: "1#2" },
    ]);
  });

  test("F17: answer a call that has no result, and leave out a result that has no call", () => {
    expect(messagesOf([user("a"), result("0"), call("1")]).slice(1)).toMatchObject([
      { role: "assistant" },
      { role: "tool", tool_call_id: "1", content: `Error: ${MISSING_RESULT_TEXT}` },
    ]);
  });

  test("have no blank text, and no message is empty", () => {
    const items = [user("a"), said(" \n"), user(""), said("b"), user("c")];
    expect(messagesOf(items)).toMatchObject([{ content: "a" }, { content: "b" }, { content: "c" }]);
    expect(messagesOf([user("a"), call("1"), result("1", " ")])[2]).toMatchObject({ content: "" });
  });

  test("L7: give thinking back, byte for byte, with the calls it led to", () => {
    expect(messagesOf([user("a"), thought(), call("1"), result("1")])[1]).toMatchObject({
      content: "",
      thinking: " hm\n",
      tool_calls: [{}],
    });
  });

  test("leave out what others thought, and thinking that led to nothing", () => {
    const foreign = [thought("other-model"), thought(MODEL, "anthropic")];
    const plain: Item = { type: "reasoning", text: "hm" };
    const items = [user("a"), ...foreign, plain, said("b"), user("c"), thought(), user("d")];
    expect(messagesOf(items)).toEqual([
      { role: "user", content: "a" },
      { role: "assistant", content: "b" },
      { role: "user", content: "c" },
      { role: "user", content: "d" },
    ]);
  });

  test("leave out what only another provider understands", () => {
    expect(messagesOf([user("a"), opaque("gemini", "m", { x: 1 }), said("b"), user("c")])).toEqual([
      { role: "user", content: "a" },
      { role: "assistant", content: "b" },
      { role: "user", content: "c" },
    ]);
  });

  test("do not end with the assistant, from whose words the server would go on", () => {
    expect(messagesOf([user("a"), said("b")]).at(-1)).toEqual({
      role: "user",
      content: "Continue.",
    });
  });
});

describe("tool calls", () => {
  test("L10: have their arguments as an object, in the bytes in which the model wrote them", () => {
    const text = '{ "b": 1e2, "a": 12345678901234567890 }';
    expect(bodyText({ items: [user("a"), call("1", text)] })).toContain(`"arguments":${text}}`);
  });

  test("whose arguments are no object show what was written", () => {
    for (const text of ['{"a":', "3"]) {
      expect(messagesOf([user("a"), call("1", text)])[1]).toMatchObject({
        tool_calls: [{ function: { arguments: { _raw: text } } }],
      });
    }
  });
});

test("an error result says that it is one", () => {
  expect(messagesOf([user("a"), call("1"), result("1", "no such file", true)])[2]).toMatchObject({
    content: "Error: no such file",
  });
});
