import { call, result, said, user } from "@llm-worker/wire-testing";
import { type Item, type MessageItem, MISSING_RESULT_TEXT } from "llm-worker";
import { describe, expect, test } from "vitest";
import {
  bodyText,
  contentsOf,
  OLD_MODEL,
  opaque,
  ownCall,
  signedText,
  thought,
} from "../test/history.js";

const response = (output: string, id?: string): unknown => ({
  functionResponse: { ...(id === undefined ? {} : { id }), name: "add", response: { output } },
});

describe("contents", () => {
  test("hold what each side said in a row", () => {
    expect(contentsOf([user("a"), user("b"), said("c"), said("d"), user("e")])).toEqual([
      ["user", { text: "a" }, { text: "b" }],
      ["model", { text: "c" }, { text: "d" }],
      ["user", { text: "e" }],
    ]);
  });

  test("begin and end with the user, whatever the history does", () => {
    expect(contentsOf([said("a")])).toEqual([
      ["user", { text: "[The beginning of this conversation is not included.]" }],
      ["model", { text: "a" }],
      ["user", { text: "Continue." }],
    ]);
  });

  test("G15: have no empty part, and are left out if nothing else is in them", () => {
    expect(contentsOf([user("a"), said(""), user(" \n"), said("b"), user("c")])).toEqual([
      ["user", { text: "a" }],
      ["model", { text: "b" }],
      ["user", { text: "c" }],
    ]);
    expect(contentsOf([user("a"), said("b"), user(""), call("1"), result("1")])).toMatchObject([
      ["user", {}],
      ["model", { text: "b" }, { functionCall: {} }],
      ["user", { functionResponse: {} }],
    ]);
  });
});

describe("signatures", () => {
  test("G1, G2, G3: go back beside the call that they came with, and are not copied to others", () => {
    const signed = ownCall("1", { thoughtSignature: "c2ln" });
    expect(contentsOf([user("a"), signed, call("2"), result("1"), result("2")])).toEqual([
      ["user", { text: "a" }],
      [
        "model",
        { functionCall: { name: "add", args: {} }, thoughtSignature: "c2ln" },
        { functionCall: { name: "add", args: {} } },
      ],
      ["user", response("ok"), response("ok")],
    ]);
  });

  test("G4: go back on the text that they came with, also if it is empty", () => {
    const items = [
      user("a"),
      said("b"),
      signedText("c", "Yw=="),
      signedText("", "ZA=="),
      user("e"),
    ];
    expect(contentsOf(items)[1]).toEqual([
      "model",
      { text: "b" },
      { text: "c", thoughtSignature: "Yw==" },
      { text: "", thoughtSignature: "ZA==" },
    ]);
  });

  test("G4: are left out where a hook has made something else of a text", () => {
    const image = { type: "image", source: { type: "url", url: "https://x.test/a" } } as const;
    const changed = (...content: MessageItem["content"]): unknown =>
      contentsOf([user("x"), { ...signedText("a", "YQ=="), content } as Item, user("y")])[1];
    expect(changed({ type: "text", text: "a" }, { type: "text", text: "b" })).toEqual([
      "model",
      { text: "a" },
      { text: "b" },
    ]);
    expect(changed(image)).toEqual([
      "model",
      { text: "[an image that the assistant made is not shown here]" },
    ]);
  });

  test("G4: of thoughts go back with them; thoughts without are left out", () => {
    const items = [
      user("a"),
      thought({ thoughtSignature: "YQ==" }),
      thought({}),
      said("b"),
      user("c"),
    ];
    expect(contentsOf(items)[1]).toEqual([
      "model",
      { text: " hm\n", thought: true, thoughtSignature: "YQ==" },
      { text: "b" },
    ]);
  });

  test("of another model are not sent to this one", () => {
    const items = [
      user("a"),
      thought({ thoughtSignature: "YQ==" }, "gemini-2.5-pro"),
      signedText("b", "Yg==", "gemini-2.5-pro"),
      opaque({ executableCode: { code: "1" }, thoughtSignature: "Yw==" }, "gemini-2.5-pro"),
      opaque({ thoughtSignature: "ZA==" }, "gemini-2.5-pro"),
      user("c"),
    ];
    expect(contentsOf(items)[1]).toEqual([
      "model",
      { text: "b" },
      { executableCode: { code: "1" } },
    ]);
  });

  test("G5: of foreign calls are stood in for, on the first of each batch", () => {
    const items = [
      user("a"),
      call("1"),
      call("2"),
      result("1"),
      result("2"),
      call("3"),
      result("3"),
    ];
    const standIn = { thoughtSignature: "skip_thought_signature_validator" };
    expect(contentsOf(items)).toMatchObject([
      {},
      ["model", standIn, expect.not.objectContaining(standIn)],
      {},
      ["model", standIn],
      {},
    ]);
    const ofOther = ownCall("1", { thoughtSignature: "c2ln" });
    expect(contentsOf([user("a"), ofOther, result("1")], "gemini-4-test")[1]).toMatchObject([
      "model",
      standIn,
    ]);
  });

  test.each([OLD_MODEL, "models/gemini-2.0-flash", "gemini-1.5-pro", "gemma-3-27b-it"])(
    "G5: %s gets no stand-in",
    (model) => {
      expect(bodyText({ items: [user("a"), call("1"), result("1")] }, { model })).not.toContain(
        "thoughtSignature",
      );
    },
  );
});

describe("responses", () => {
  test("G6: come alone in the next content, one for each call, in the order of the calls", () => {
    const items = [
      user("a"),
      call("1"),
      call("2"),
      result("2", "two"),
      result("1", "one"),
      user("b"),
    ];
    expect(contentsOf(items).slice(2)).toEqual([
      ["user", response("one"), response("two")],
      ["user", { text: "b" }],
    ]);
  });

  test("F17, G6: are made up for a call without, and left out without a call", () => {
    const items = [user("a"), call("1"), call("2"), result("1"), result("9"), user("b")];
    expect(contentsOf(items).slice(2)).toEqual([
      [
        "user",
        response("ok"),
        { functionResponse: { name: "add", response: { error: MISSING_RESULT_TEXT } } },
      ],
      ["user", { text: "b" }],
    ]);
  });

  test("G16: echo the id if the server gave one", () => {
    const items = [
      user("a"),
      ownCall("srv1", { id: "srv1" }),
      call("made_up"),
      result("srv1"),
      result("made_up"),
    ];
    expect(contentsOf(items)).toMatchObject([
      {},
      [
        "model",
        { functionCall: { id: "srv1" } },
        { functionCall: expect.not.objectContaining({ id: expect.anything() }) },
      ],
      ["user", response("ok", "srv1"), response("ok")],
    ]);
  });

  test("G8: have the name of their call, changed alike where the server would refuse it", () => {
    const names = ["mcp.read:file-1", "read file!", "1st", "", "é".repeat(70)];
    const items = names.flatMap((name, at): Item[] => [
      ownCall(String(at), {}, { name } as Partial<Item>),
    ]);
    const results = names.map((_, at) => result(String(at)));
    const [, calls, responses] = contentsOf([user("a"), ...items, ...results]) as never as {
      functionCall: { name: string };
      functionResponse: { name: string };
    }[][];
    const sent = (calls ?? []).slice(1).map(({ functionCall }) => functionCall.name);
    expect(sent.slice(0, 4)).toEqual(["mcp.read:file-1", "read_file_", "_st", "_"]);
    for (const name of sent) expect(name).toMatch(/^[A-Za-z_][\w.:-]{0,63}$/);
    expect((responses ?? []).slice(1).map(({ functionResponse }) => functionResponse.name)).toEqual(
      sent,
    );
  });
});

describe("what only its provider understands", () => {
  const use = { toolCall: { toolType: "GOOGLE_SEARCH_WEB", id: "s1" }, thoughtSignature: "YQ==" };
  const found = {
    toolResponse: { toolType: "GOOGLE_SEARCH_WEB", id: "s1" },
    thoughtSignature: "Yg==",
  };

  test("goes back whole and in its place", () => {
    const items = [user("a"), opaque(use), opaque(found), said("b"), user("c")];
    expect(contentsOf(items)[1]).toEqual(["model", use, found, { text: "b" }]);
  });

  test("is left out if it is another provider's, or lacks its other half", () => {
    for (const item of [opaque({ type: "x" }, "m", "anthropic"), opaque(use), opaque(found)]) {
      expect(contentsOf([user("a"), item, said("b"), user("c")])[1]).toEqual([
        "model",
        { text: "b" },
      ]);
    }
  });
});

test("arguments go back in the bytes in which they came", () => {
  const text = '{ "b": 1e2, "a": 12345678901234567890 }';
  expect(bodyText({ items: [user("a"), call("1", text)] })).toContain(`"args":${text}}`);
  expect(contentsOf([user("a"), call("1", '{"a":'), result("1")])[1]).toMatchObject([
    "model",
    { functionCall: { args: { _raw: '{"a":' } } },
  ]);
});

test("a history that grows keeps the bytes of what was sent before", () => {
  const items = [
    user("a"),
    call("1"),
    call("2"),
    result("1"),
    result("2"),
    said("b"),
    user("c"),
    ownCall("3", { id: "3", thoughtSignature: "c2ln" }),
    result("3"),
  ];
  const whole = bodyText({ items });
  for (const length of [1, 5, 7]) {
    const part = bodyText({ items: items.slice(0, length) });
    expect(whole.startsWith(part.slice(0, part.lastIndexOf("]")))).toBe(true);
  }
});
