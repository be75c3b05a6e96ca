import { call, opaque, result, said, thought, user } from "@llm-worker/wire-testing";
import { type Item, MISSING_RESULT_TEXT } from "llm-worker";
import { describe, expect, test } from "vitest";
import { messagesOf, MODEL } from "../../test/requests.js";

const SCHEME = "openai-chat";
const reasoned = (field: string, text = "hm", model = MODEL, scheme = SCHEME): Item =>
  thought(scheme, model, { type: "reasoning", field }, text);
const toolCall = (id: string, text = "{}"): object => ({
  id,
  type: "function",
  function: { name: "add", arguments: text },
});

describe("messages", () => {
  test("are one for each answer, and one for each thing that the user says", () => {
    const items = [user("a"), user("b"), said("c"), call("1"), call("2"), user("d"), result("2")];
    expect(messagesOf([...items, result("1", "bad", true), said("e"), user("f")])).toEqual([
      { role: "user", content: "a" },
      { role: "user", content: "b" },
      { role: "assistant", content: "c", tool_calls: [toolCall("1"), toolCall("2")] },
      { role: "tool", tool_call_id: "2", content: "ok" },
      { role: "tool", tool_call_id: "1", content: "Error: bad" },
      { role: "user", content: "d" },
      { role: "assistant", content: "e" },
      { role: "user", content: "f" },
    ]);
  });

  test("that are written stay as they are when the user says more", () => {
    const items = [user("a"), said("b"), user("c")];
    expect(messagesOf([...items, user("d")]).slice(0, 3)).toEqual(messagesOf(items));
  });

  test("F17, C12: answer a call that has no result, right after it, and leave out others", () => {
    expect(messagesOf([user("a"), result("0"), call("1"), user("b")])).toEqual([
      { role: "user", content: "a" },
      { role: "assistant", content: null, tool_calls: [toolCall("1")] },
      { role: "tool", tool_call_id: "1", content: `Error: ${MISSING_RESULT_TEXT}` },
      { role: "user", content: "b" },
    ]);
  });

  test("have no blank text and are not empty", () => {
    const onlyThought = reasoned("reasoning");
    expect(messagesOf([user("a"), said(" \n"), user(""), onlyThought, user("b")])).toEqual([
      { role: "user", content: "a" },
      { role: "user", content: "b" },
    ]);
  });

  test("say text around calls as one string", () => {
    expect(messagesOf([user("a"), said('"b"'), call("1"), said("c"), result("1")])[1]).toEqual({
      role: "assistant",
      content: '"b"\nc',
      tool_calls: [toolCall("1")],
    });
  });

  test("end with the user: many servers go on from the assistant's words", () => {
    expect(messagesOf([user("a"), said("b")]).at(-1)).toEqual({
      role: "user",
      content: "Continue.",
    });
    expect(messagesOf([user("a"), call("1"), result("1")])).toHaveLength(3);
  });

  test("leave out what only another scheme understands", () => {
    const items = [user("a"), opaque("anthropic", MODEL, { type: "x" }), said("b"), user("c")];
    expect(messagesOf(items)).toEqual(messagesOf([user("a"), said("b"), user("c")]));
  });

  test("show a refusal as what the assistant said", () => {
    const refusal: Item = {
      type: "message",
      role: "assistant",
      content: [{ type: "text", text: "No.", isRefusal: true }],
    };
    expect(messagesOf([user("a"), refusal, user("b")])[1]).toEqual({
      role: "assistant",
      content: "No.",
    });
  });
});

describe("tool calls", () => {
  test("C13: ids that are too long are mapped alike in call and result, and stay apart", () => {
    const ids = ["call_1", "functions.add:0", "x".repeat(41), "a b", ""];
    const messages = messagesOf([
      user("a"),
      ...ids.map((id) => call(id)),
      ...ids.map((id) => result(id)),
    ]);
    const calls = messages[1]?.["tool_calls"] as { id: string }[];
    expect(calls.slice(0, 2).map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(new Set(calls.map(({ id }) => id)).size).toBe(ids.length);
    for (const { id } of calls) expect(id.length).toBeLessThanOrEqual(40);
    expect(messages.slice(2).map(({ tool_call_id }) => tool_call_id)).toEqual(
      calls.map(({ id }) => id),
    );
  });

  test("go back in the bytes in which the model wrote the arguments", () => {
    const text = '{ "b": 1e2, "a": 12345678901234567890 }';
    expect(messagesOf([user("a"), call("1", text)])[1]).toMatchObject({
      tool_calls: [toolCall("1", text)],
    });
  });

  test("C9, C18: have arguments that any server can parse", () => {
    const [, message] = messagesOf([user("a"), call("1", ""), call("2", '{"a":')]);
    expect(message).toMatchObject({
      tool_calls: [toolCall("1"), toolCall("2", JSON.stringify({ _raw: '{"a":' }))],
    });
  });

  test("of names that the server refuses are renamed", () => {
    const foreign: Item = { type: "tool_call", callId: "1", name: "a.b/ü", arguments: "" };
    expect(messagesOf([user("a"), foreign])[1]).toMatchObject({
      tool_calls: [{ function: { name: "a_b__" } }],
    });
  });

  test("give back what came with them, to the model that it came from", () => {
    const extra_content = { google: { thought_signature: "c2ln" } };
    const signed = (model: string): Item => ({
      type: "tool_call",
      callId: "1",
      name: "add",
      arguments: "",
      providerData: { scheme: SCHEME, model, data: { type: "tool_call", extra_content } },
    });
    expect(messagesOf([user("a"), signed(MODEL)])[1]).toMatchObject({
      tool_calls: [{ id: "1", extra_content }],
    });
    expect(messagesOf([user("a"), signed("other")])[1]).toMatchObject({
      tool_calls: [toolCall("1")],
    });
  });
});

describe("C8: reasoning", () => {
  test.each(["reasoning_content", "reasoning"])("goes back in %s, where it came", (field) => {
    expect(messagesOf([user("a"), reasoned(field), call("1"), result("1")])[1]).toEqual({
      role: "assistant",
      content: null,
      [field]: "hm",
      tool_calls: [toolCall("1")],
    });
  });

  test("goes back as details, with what the server signed", () => {
    const details = [{ type: "reasoning.text", text: "hm", signature: "c2ln" }];
    const item = thought(SCHEME, MODEL, { type: "reasoning", field: "reasoning_details", details });
    expect(messagesOf([user("a"), item, said("b"), user("c")])[1]).toEqual({
      role: "assistant",
      content: "b",
      reasoning_details: details,
    });
  });

  test("goes back as a part of the content", () => {
    expect(messagesOf([user("a"), reasoned("content"), said("b"), user("c")])[1]).toEqual({
      role: "assistant",
      content: [
        { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
        { type: "text", text: "b" },
      ],
    });
  });

  test("of another model or scheme is left out, and never shown", () => {
    const foreign = [
      reasoned("reasoning", "hm", "other"),
      reasoned("reasoning", "hm", MODEL, "anthropic"),
      { type: "reasoning", text: "hm" } as const,
    ];
    expect(messagesOf([user("a"), ...foreign, said("b"), user("c")])[1]).toEqual({
      role: "assistant",
      content: "b",
    });
  });

  test("stays here if the caller says so", () => {
    const items = [user("a"), reasoned("reasoning"), said("b"), user("c")];
    expect(messagesOf(items, { reasoningReplay: "off" })[1]).toEqual({
      role: "assistant",
      content: "b",
    });
  });
});

describe("images and files", () => {
  const base64 = (mediaType: string, data = "AAAA") =>
    ({ type: "base64", mediaType, data }) as const;
  const partsOf = (part: object): unknown => {
    // The parts below are all of the union.
    const content = [{ type: "text", text: "See:" } as const, part as never];
    const [message] = messagesOf([{ type: "message", role: "user", content }]);
    return (message?.["content"] as unknown[] | undefined)?.[1];
  };

  test.each([
    [
      { type: "image", source: base64("image/png") },
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
    ],
    [
      { type: "image", source: { type: "url", url: "https://x.test/a" } },
      { type: "image_url", image_url: { url: "https://x.test/a" } },
    ],
    [
      { type: "file", source: base64("application/pdf"), name: "a.pdf" },
      {
        type: "file",
        file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" },
      },
    ],
    [
      { type: "file", source: base64("audio/mpeg") },
      { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
    ],
    [
      { type: "file", source: base64("text/csv", "Z3LDvMOfZQ=="), name: "a.csv" },
      { type: "text", text: "[file a.csv]\ngrüße" },
    ],
  ])("%o becomes %o", (part, expected) => {
    expect(partsOf(part)).toEqual(expected);
  });

  test.each([
    [{ type: "image", source: base64("image/tiff") }, "image/tiff"],
    [{ type: "file", source: base64("application/zip") }, "application/zip"],
    [{ type: "file", source: { type: "url", url: "https://x.test/a.pdf" } }, "no address"],
  ])("%o cannot be said, which is told to the model", (part, word) => {
    expect(partsOf(part)).toEqual({ type: "text", text: expect.stringContaining(word) });
  });

  test("that go with a result come after all results of the turn", () => {
    const seen: Item = {
      type: "tool_result",
      callId: "1",
      summary: "a picture",
      parts: [{ type: "image", source: base64("image/png") }],
    };
    const items = [user("a"), call("1"), call("2"), seen, result("2"), user("b")];
    expect(messagesOf(items).slice(2)).toEqual([
      { role: "tool", tool_call_id: "1", content: "a picture" },
      { role: "tool", tool_call_id: "2", content: "ok" },
      {
        role: "user",
        content: [
          { type: "text", text: "[belongs to the result of call 1]" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
        ],
      },
      { role: "user", content: "b" },
    ]);
  });
});
