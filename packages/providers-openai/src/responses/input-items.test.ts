import { call, type Json, opaque, result, said, thought, user } from "@llm-worker/wire-testing";
import { type Item, MISSING_RESULT_TEXT } from "llm-worker";
import { describe, expect, test } from "vitest";
import { inputOf, MODEL } from "../../test/requests.js";

const SCHEME = "openai-responses";
const label = (data: Json, model = MODEL) =>
  // Test data is JSON.
  ({ scheme: SCHEME, model, data: data as never }) as const;
const reasoning = (id: string, more: Json = { encrypted_content: "abc" }, model = MODEL): Item =>
  thought(SCHEME, model, { type: "reasoning", id, summary: [], ...more });
const ownSaid = (text: string, id: string, more: Json = {}): Item => ({
  type: "message",
  role: "assistant",
  content: [{ type: "text", text }],
  providerData: label({ type: "message", id, ...more }),
});
const ownCall = (callId: string, id: string, more: Json = {}): Item => ({
  type: "tool_call",
  callId,
  name: "add",
  arguments: '{"a":1}',
  providerData: label({ type: "function_call", id, ...more }),
});
const own = (data: Json): Item => opaque(SCHEME, MODEL, data);

const asked = (text: string): Json => ({
  role: "user",
  content: [{ type: "input_text", text }],
});
const sentCall = (call_id: string, more: Json = {}): Json => ({
  type: "function_call",
  call_id,
  name: "add",
  arguments: "{}",
  ...more,
});
const output = (call_id: string, text = "ok"): Json => ({
  type: "function_call_output",
  call_id,
  output: text,
});

describe("input items", () => {
  test("are what was said, called and answered, in order", () => {
    const items = [user("a"), said("b"), call("1"), call("2"), result("2"), user("c")];
    expect(inputOf([...items, result("1", "bad", true)])).toEqual([
      asked("a"),
      { role: "assistant", content: "b" },
      sentCall("1"),
      sentCall("2"),
      output("2"),
      output("1", "Error: bad"),
      asked("c"),
    ]);
  });

  test("F17, R8: answer a call that has no result, and leave out a result that has no call", () => {
    expect(inputOf([user("a"), result("0"), call("1"), user("b")])).toEqual([
      asked("a"),
      sentCall("1"),
      output("1", `Error: ${MISSING_RESULT_TEXT}`),
      asked("b"),
    ]);
  });

  test("R6: have call ids that fit, alike in call and result", () => {
    const long = "x".repeat(65);
    const [, sent, answer] = inputOf([user("a"), call(long), result(long)]);
    expect(String(sent?.["call_id"]).length).toBeLessThanOrEqual(64);
    expect(answer?.["call_id"]).toBe(sent?.["call_id"]);
    expect(inputOf([user("a"), call("x".repeat(64))])[1]?.["call_id"]).toBe("x".repeat(64));
  });

  test("have arguments that are JSON, in the model's own bytes where they are", () => {
    const text = '{ "b": 1e2 }';
    expect(inputOf([user("a"), call("1", text), call("2", "{")]).slice(1, 3)).toEqual([
      sentCall("1", { arguments: text }),
      sentCall("2", { arguments: '{"_raw":"{"}' }),
    ]);
  });

  test("have no empty text", () => {
    expect(inputOf([user("a"), said(""), user(""), user("b")])).toEqual([asked("a"), asked("b")]);
  });
});

describe("reasoning and what came after it", () => {
  const sentReasoning = (id: string): Json => ({
    type: "reasoning",
    id,
    summary: [],
    encrypted_content: "abc",
  });
  const sentMessage = (text: string, id: string): Json => ({
    type: "message",
    id,
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
  });

  test("go back together, with their ids", () => {
    const items = [user("a"), reasoning("rs_1"), ownSaid("b", "msg_1"), ownCall("1", "fc_1")];
    expect(inputOf([...items, result("1"), reasoning("rs_2"), ownSaid("c", "msg_2")])).toEqual([
      asked("a"),
      sentReasoning("rs_1"),
      sentMessage("b", "msg_1"),
      sentCall("1", { id: "fc_1", arguments: '{"a":1}' }),
      output("1"),
      sentReasoning("rs_2"),
      sentMessage("c", "msg_2"),
    ]);
  });

  test("R1: without its follower, reasoning is left out", () => {
    const items = [user("a"), reasoning("rs_1"), user("b"), reasoning("rs_2"), reasoning("rs_3")];
    expect(inputOf([...items, user("c")])).toEqual([asked("a"), asked("b"), asked("c")]);
  });

  test("R1: with a follower that was rewritten, reasoning is left out", () => {
    expect(inputOf([user("a"), reasoning("rs_1"), said("mine")])).toEqual([
      asked("a"),
      { role: "assistant", content: "mine" },
    ]);
  });

  test("R2: without its reasoning, the follower is sent without its id", () => {
    expect(inputOf([user("a"), ownSaid("b", "msg_1"), ownCall("1", "fc_1")]).slice(1, 3)).toEqual([
      { role: "assistant", content: "b" },
      sentCall("1", { arguments: '{"a":1}' }),
    ]);
  });

  test("R2, R3: bare reasoning is left out, and ids after it", () => {
    const items = [
      user("a"),
      reasoning("rs_1"),
      ownSaid("b", "msg_1"),
      reasoning("rs_2", {}),
      ownCall("1", "fc_1"),
    ];
    expect(inputOf(items).slice(1, 4)).toEqual([
      sentReasoning("rs_1"),
      sentMessage("b", "msg_1"),
      sentCall("1", { arguments: '{"a":1}' }),
    ]);
  });

  test("R3: bare reasoning is sent where the server keeps it", () => {
    const items = [user("a"), reasoning("rs_1", {}), ownSaid("b", "msg_1")];
    expect(inputOf(items, { store: "on" })).toMatchObject([
      {},
      { type: "reasoning", id: "rs_1" },
      { id: "msg_1" },
    ]);
  });

  test("shown by a compatible server goes back to it", () => {
    const content = [{ type: "reasoning_text", text: "hm" }];
    expect(inputOf([user("a"), reasoning("rs_1", { content }), ownCall("1", "fc_1")])[1]).toEqual({
      type: "reasoning",
      id: "rs_1",
      summary: [],
      content,
    });
  });

  test("R4: of the same id are sent once, the first one", () => {
    const pair = [reasoning("rs_1"), ownSaid("b", "msg_1")];
    const search = own({ type: "web_search_call", id: "ws_1", status: "completed" });
    expect(inputOf([user("a"), ...pair, search, user("c"), ...pair, search])).toEqual([
      asked("a"),
      sentReasoning("rs_1"),
      sentMessage("b", "msg_1"),
      { type: "web_search_call", id: "ws_1", status: "completed" },
      asked("c"),
      { role: "assistant", content: "b" },
    ]);
  });

  test("R5: with ids that the API did not issue are sent without them", () => {
    const foreign = [reasoning("chatcmpl-1"), ownSaid("b", "chatcmpl-2")];
    expect(inputOf([user("a"), ...foreign])[1]).toEqual({ role: "assistant", content: "b" });
    const tooLong = ownSaid("b", `msg_${"x".repeat(61)}`);
    expect(inputOf([user("a"), reasoning("rs_1"), tooLong])[1]).toEqual({
      role: "assistant",
      content: "b",
    });
  });

  test("of another model or provider are not sent", () => {
    const foreign = [
      reasoning("rs_1", { encrypted_content: "abc" }, "other"),
      thought("anthropic", MODEL, { type: "thinking", signature: "c2ln" }),
    ];
    expect(inputOf([user("a"), ...foreign, ownSaid("b", "msg_1")])).toEqual([
      asked("a"),
      { role: "assistant", content: "b" },
    ]);
  });
});

describe("messages", () => {
  test("R11: keep their phase, with their id and without", () => {
    const commentary = ownSaid("b", "msg_1", { phase: "commentary" });
    expect(inputOf([user("a"), commentary])[1]).toEqual({
      role: "assistant",
      content: "b",
      phase: "commentary",
    });
    expect(inputOf([user("a"), reasoning("rs_1"), commentary])[2]).toMatchObject({
      id: "msg_1",
      phase: "commentary",
    });
  });

  test("that came in parts are one again", () => {
    const refusal: Item = {
      type: "message",
      role: "assistant",
      content: [{ type: "text", text: "No.", isRefusal: true }],
      providerData: label({ type: "message", id: "msg_1" }),
    };
    const annotations = [{ type: "url_citation", url: "https://x.test" }];
    const cited = ownSaid("b", "msg_1", { annotations });
    expect(inputOf([user("a"), reasoning("rs_1"), cited, refusal])[2]).toMatchObject({
      id: "msg_1",
      content: [
        { type: "output_text", text: "b", annotations },
        { type: "refusal", refusal: "No." },
      ],
    });
    expect(inputOf([user("a"), cited, refusal])[1]).toEqual({
      role: "assistant",
      content: "bNo.",
    });
  });

  test("hold images and files", () => {
    const base64 = (mediaType: string) => ({ type: "base64", mediaType, data: "AAAA" }) as const;
    const content = [
      { type: "image", source: base64("image/png") },
      { type: "image", source: base64("image/tiff") },
      { type: "file", source: base64("application/pdf"), name: "a.pdf" },
      { type: "file", source: { type: "url", url: "https://x.test/a.pdf" } },
      { type: "file", source: base64("audio/mpeg") },
    ] as const;
    expect(inputOf([{ type: "message", role: "user", content }])).toEqual([
      {
        role: "user",
        content: [
          { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "auto" },
          { type: "input_text", text: expect.stringContaining("image/tiff") },
          {
            type: "input_file",
            filename: "a.pdf",
            file_data: "data:application/pdf;base64,AAAA",
          },
          { type: "input_file", file_url: "https://x.test/a.pdf" },
          { type: "input_text", text: expect.stringContaining("audio/mpeg") },
        ],
      },
    ]);
  });
});

describe("R12: what is not ours", () => {
  test("is replayed whole, in its place", () => {
    const search = { type: "web_search_call", id: "ws_1", status: "completed", action: {} };
    expect(inputOf([user("a"), own(search), ownSaid("b", "msg_1")])[1]).toEqual(search);
    expect(
      inputOf([user("a"), reasoning("rs_1"), own(search), ownSaid("b", "msg_1")]),
    ).toMatchObject([{}, { id: "rs_1" }, { id: "ws_1" }, { id: "msg_1" }]);
  });

  test("is replayed without the fields that the API gives but does not take", () => {
    const image = { type: "image_generation_call", id: "ig_1", status: "completed", result: "AA" };
    expect(inputOf([user("a"), own({ ...image, size: "1024x1024" })])[1]).toEqual(image);
  });

  test("is replayed also where its type has the name of what every object has", () => {
    for (const type of ["constructor", "__proto__", "toString"]) {
      expect(inputOf([user("a"), own({ type, id: "x" })])[1]).toEqual({ type, id: "x" });
    }
  });

  test("of another scheme is left out", () => {
    expect(inputOf([user("a"), opaque("anthropic", MODEL, { type: "x" })])).toEqual([asked("a")]);
  });

  test("a call that nobody has answered is left out, with the reasoning for it", () => {
    const patch = { type: "apply_patch_call", id: "apc_1", call_id: "call_1", status: "completed" };
    const done = { type: "apply_patch_call_output", call_id: "call_1", status: "completed" };
    expect(inputOf([user("a"), reasoning("rs_1"), own(patch), user("b")])).toEqual([
      asked("a"),
      asked("b"),
    ]);
    expect(inputOf([user("a"), own(done), user("b")])).toEqual([asked("a"), asked("b")]);
    expect(inputOf([user("a"), own(patch), own(done), user("b")])).toEqual([
      asked("a"),
      patch,
      done,
      asked("b"),
    ]);
  });

  test("a custom tool's call is answered by an output of its kind", () => {
    const custom: Item = {
      type: "tool_call",
      callId: "call_1",
      name: "sql",
      arguments: '"SELECT 1"',
      providerData: label({ type: "custom_tool_call", id: "ctc_1" }),
    };
    expect(inputOf([user("a"), custom, result("call_1")]).slice(1)).toEqual([
      { type: "custom_tool_call", call_id: "call_1", name: "sql", input: "SELECT 1" },
      { type: "custom_tool_call_output", call_id: "call_1", output: "ok" },
    ]);
  });

  test("namespace and caller go back with a call", () => {
    const caller = { type: "program", caller_id: "prog_1" };
    expect(inputOf([user("a"), ownCall("1", "fc_1", { namespace: "crm", caller })])[1]).toEqual(
      sentCall("1", { arguments: '{"a":1}', namespace: "crm", caller }),
    );
  });
});
