import { call, type Json, result, said, user } from "@llm-worker/wire-testing";
import { type Item, MISSING_RESULT_TEXT } from "llm-worker";
import { describe, expect, test } from "vitest";
import { bodyText, messagesOf, MODEL, opaque, thought } from "../test/history.js";

describe("messages", () => {
  test("take turns, results first", () => {
    const items = [user("a"), user("b"), said("c"), call("1"), call("2"), user("d"), result("2")];
    expect(messagesOf([...items, result("1", "bad", true), said("e"), user("f")])).toMatchObject([
      ["user", { text: "a" }, { text: "b" }],
      ["assistant", { text: "c" }, { type: "tool_use", id: "1" }, { type: "tool_use", id: "2" }],
      [
        "user",
        { type: "tool_result", tool_use_id: "2", content: "ok" },
        { type: "tool_result", tool_use_id: "1", content: "bad", is_error: true },
        { text: "d" },
      ],
      ["assistant", { text: "e" }],
      ["user", { text: "f" }],
    ]);
  });

  test("A1: answer a call that has no result", () => {
    expect(messagesOf([user("a"), call("1")])).toMatchObject([
      ["user", {}],
      ["assistant", { id: "1" }],
      ["user", { tool_use_id: "1", content: MISSING_RESULT_TEXT, is_error: true }],
    ]);
  });

  test("A2: leave out a result that has no call", () => {
    expect(messagesOf([user("a"), result("1"), said("b"), user("c")])).toMatchObject([
      ["user", { text: "a" }],
      ["assistant", { text: "b" }],
      ["user", { text: "c" }],
    ]);
  });

  test("A3, A25: have no blank text, and no message is empty", () => {
    const items = [user("a"), said(""), said(" \n"), user("b"), said("c"), user("")];
    expect(messagesOf([...items, user("d")])).toMatchObject([
      ["user", { text: "a" }, { text: "b" }],
      ["assistant", { text: "c" }],
      ["user", { text: "d" }],
    ]);
    expect(messagesOf([user("a"), call("1"), result("1", " ")])).toMatchObject([
      {},
      {},
      ["user", { type: "tool_result", tool_use_id: "1" }],
    ]);
    expect(messagesOf([user("a"), call("1"), result("1", "", true)])).toMatchObject([
      {},
      {},
      ["user", { content: "The tool failed without a message." }],
    ]);
  });

  test("A4, A7: give thinking back untouched, in its place", () => {
    expect(
      messagesOf([user("a"), thought("c2ln"), said("b"), thought("c2ln2"), call("1")]),
    ).toEqual([
      ["user", { type: "text", text: "a" }],
      [
        "assistant",
        { type: "thinking", thinking: " hm\n", signature: "c2ln" },
        { type: "text", text: "b" },
        { type: "thinking", thinking: " hm\n", signature: "c2ln2" },
        { type: "tool_use", id: "1", name: "add", input: {} },
      ],
      ["user", expect.anything()],
    ]);
  });

  test("A5: give redacted thinking back", () => {
    const data = { type: "redacted_thinking", data: "EqkE" };
    const redacted: Item = {
      type: "reasoning",
      text: "",
      providerData: { scheme: "anthropic", model: MODEL, data },
    };
    expect(messagesOf([user("a"), redacted, said("b"), user("c")])).toMatchObject([
      {},
      ["assistant", data, { text: "b" }],
      {},
    ]);
  });

  test("A6: leave out thinking that this model did not sign, and never show it", () => {
    const foreign = [
      thought("c2ln", MODEL, "openai-responses"),
      thought("c2ln", "claude-other"),
      { type: "reasoning", text: "hm" } as const,
    ];
    expect(messagesOf([user("a"), ...foreign, said("b"), user("c")])).toMatchObject([
      ["user", { text: "a" }],
      ["assistant", { type: "text", text: "b" }],
      ["user", { text: "c" }],
    ]);
  });

  test("do not end in thinking, as an aborted answer does", () => {
    expect(messagesOf([user("a"), said("b"), thought("c2ln"), user("c")])).toMatchObject([
      {},
      ["assistant", { text: "b" }],
      {},
    ]);
    expect(messagesOf([user("a"), thought("c2ln"), user("c")])).toMatchObject([
      ["user", { text: "a" }, { text: "c" }],
    ]);
  });

  test("A11: end with the user, and begin with the user", () => {
    expect(messagesOf([said("a")])).toEqual([
      ["user", { type: "text", text: "[The beginning of this conversation is not included.]" }],
      ["assistant", { type: "text", text: "a" }],
      ["user", { type: "text", text: "Continue." }],
    ]);
  });

  test("A19: end with the assistant where the server itself goes on", () => {
    const use = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
    expect(messagesOf([user("a"), opaque(use)])).toEqual([
      ["user", { type: "text", text: "a" }],
      ["assistant", use],
    ]);
  });

  test("A20: replay server tools in pairs, and leave out what has no other half", () => {
    const use = { type: "server_tool_use", id: "s1", name: "web_search", input: {} };
    const found = { type: "web_search_tool_result", tool_use_id: "s1", content: [] };
    expect(messagesOf([user("a"), opaque(use), opaque(found), said("b"), user("c")])).toMatchObject(
      [{}, ["assistant", use, found, { text: "b" }], {}],
    );
    expect(messagesOf([user("a"), opaque(found), said("b"), user("c")])).toMatchObject([
      {},
      ["assistant", { text: "b" }],
      {},
    ]);
    expect(messagesOf([user("a"), opaque(use), said("b"), user("c")])).toMatchObject([
      {},
      ["assistant", { text: "b" }],
      {},
    ]);
  });

  test("A20: keep a server call that waits for a result of ours", () => {
    const use = { type: "server_tool_use", id: "s1", name: "code_execution", input: {} };
    const done = { type: "code_execution_tool_result", tool_use_id: "s1", content: {} };
    const items = [user("a"), opaque(use), call("1"), result("1")];
    const calling = ["assistant", use, { type: "tool_use", id: "1" }];
    expect(messagesOf(items)).toMatchObject([{}, calling, {}]);
    expect(messagesOf([...items, opaque(done), said("b"), user("c")])).toMatchObject([
      {},
      calling,
      {},
      ["assistant", done, { text: "b" }],
      {},
    ]);
  });

  test("leave out what only another provider understands", () => {
    expect(
      messagesOf([user("a"), opaque({ type: "x" }, "gemini"), said("b"), user("c")]),
    ).toMatchObject([{}, ["assistant", { text: "b" }], {}]);
  });

  test("give back citations and callers", () => {
    const caller = { type: "code_execution_20260120", tool_id: "s1" };
    const label = { scheme: "anthropic", model: MODEL };
    const cited: Item = {
      type: "message",
      role: "assistant",
      content: [{ type: "text", text: "b" }],
      providerData: { ...label, data: { type: "text", citations: [{ cited_text: "x" }] } },
    };
    const called: Item = {
      type: "tool_call",
      callId: "1",
      name: "add",
      arguments: "",
      providerData: { ...label, data: { type: "tool_use", caller } },
    };
    expect(messagesOf([user("a"), cited, called])).toMatchObject([
      {},
      ["assistant", { text: "b", citations: [{ cited_text: "x" }] }, { type: "tool_use", caller }],
      {},
    ]);
  });
});

describe("tool calls", () => {
  test("A22: ids that the wire refuses are mapped alike in call and result, and stay apart", () => {
    const ids = ["toolu_1", "a/b", "a b", "", "x".repeat(100)];
    const messages = messagesOf([
      user("a"),
      ...ids.map((id) => call(id)),
      ...ids.map((id) => result(id)),
    ]);
    const [, uses, results] = messages as [unknown, Json[], Json[]];
    const callIds = uses.slice(1).map(({ id }) => id);
    expect(callIds[0]).toBe("toolu_1");
    expect(new Set(callIds).size).toBe(ids.length);
    for (const id of callIds) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(results.slice(1).map(({ tool_use_id }) => tool_use_id)).toEqual(callIds);
  });

  test("go back in the bytes in which the model wrote the arguments", () => {
    const text = '{ "b": 1e2, "a": 12345678901234567890 }';
    expect(bodyText({ items: [user("a"), call("1", text)] })).toContain(`"input":${text}}`);
  });

  test("whose arguments are no object show what was written", () => {
    expect(messagesOf([user("a"), call("1", '{"a":')])).toMatchObject([
      {},
      ["assistant", { input: { _raw: '{"a":' } }],
      {},
    ]);
  });
});
