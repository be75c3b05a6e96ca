import {
  call,
  hasSharedData,
  opaque,
  requestJudge,
  result,
  said,
  skippedWhen,
  tool,
  user,
} from "@llm-worker/wire-testing";
import fc from "fast-check";
import { type Item, type LlmRequest, userMessage } from "llm-worker";
import type { ChatRequest, Message, ToolCall } from "ollama";
import { describe, expect, test } from "vitest";
import { bodyOf, bodyText, MODEL, thought } from "../test/history.js";

/** The official SDK's type, with the fields that the server knows and the SDK does not. */
type SentRequest = ChatRequest & {
  readonly truncate: boolean;
  readonly shift: boolean;
  readonly messages: (Message & {
    readonly tool_call_id?: string;
    readonly tool_calls?: (ToolCall & { readonly id: string })[];
  })[];
};

describe("the body", () => {
  test("is what the official SDK's types describe", () => {
    const request = {
      systemPrompt: "Be brief.",
      tools: [tool],
      items: [user("a"), thought(), said("b"), call("1", '{"a":1}'), result("1")],
      generation: {
        maxOutputTokens: 10,
        temperature: 0,
        topP: 0.9,
        stopSequences: ["x"],
        outputSchema: { type: "object" },
      },
    } satisfies LlmRequest;
    const options = {
      numCtx: 8192,
      think: "low",
      keepAlive: "5m",
      modelOptions: { seed: 1 },
    } as const;
    expect(bodyOf(request, options)).toEqual({
      model: MODEL,
      tools: [
        {
          type: "function",
          function: {
            name: "add",
            description: "Adds.",
            parameters: { type: "object", properties: { a: { type: "number" } } },
          },
        },
      ],
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "a" },
        {
          role: "assistant",
          content: "b",
          thinking: " hm\n",
          tool_calls: [{ id: "1", function: { name: "add", arguments: { a: 1 } } }],
        },
        { role: "tool", content: "ok", tool_name: "add", tool_call_id: "1" },
      ],
      stream: true,
      think: "low",
      format: { type: "object" },
      keep_alive: "5m",
      truncate: false,
      shift: false,
      options: {
        num_ctx: 8192,
        num_predict: 10,
        temperature: 0,
        top_p: 0.9,
        stop: ["x"],
        seed: 1,
      },
    } satisfies SentRequest);
  });

  test("says what is the same from turn to turn first, then what may change", () => {
    const generation = { maxOutputTokens: 10 };
    const body = bodyOf({ systemPrompt: "s", tools: [tool], generation }, { think: true });
    expect(Object.keys(body).slice(0, 3)).toEqual(["model", "tools", "messages"]);
  });

  test("L9: has nothing that was not asked for, but that nothing may be cut silently", () => {
    const messages = [{ role: "user", content: "hi" }];
    expect(bodyOf({})).toEqual({
      model: MODEL,
      messages,
      stream: true,
      truncate: false,
      shift: false,
    });
    expect(bodyOf({}, { overflow: "truncate" })).toEqual({ model: MODEL, messages, stream: true });
    expect(bodyOf({}, { numCtx: 4096 })["options"]).toEqual({ num_ctx: 4096 });
  });

  test("L7: says whether to think only if told to, also to say no", () => {
    expect(bodyOf({}, { think: false })["think"]).toBe(false);
    expect(bodyOf({}, { think: "max" })["think"]).toBe("max");
    expect(bodyOf({})).not.toHaveProperty("think");
  });

  test("has further options and fields, which win over ours", () => {
    const options = { modelOptions: { num_ctx: 1, top_k: 2 }, extraBody: { stream: false, x: 3 } };
    expect(bodyOf({}, { numCtx: 4096, ...options })).toMatchObject({
      options: { num_ctx: 1, top_k: 2 },
      stream: false,
      x: 3,
    });
  });

  test("keeps the bytes of the locked prefix, whatever comes after it", () => {
    const prefix = [user("a"), said("b")];
    const short = bodyText({ tools: [tool], items: [...prefix, user("c")] });
    const long = bodyText({ tools: [tool], items: [...prefix, user("c"), call("1"), result("1")] });
    const end = short.indexOf("]", short.indexOf('"messages"'));
    expect(long.slice(0, end)).toBe(short.slice(0, end));
  });
});

describe("tool choice", () => {
  test("of none sends no tools", () => {
    expect(bodyOf({ tools: [tool], generation: { toolChoice: "none" } })).not.toHaveProperty(
      "tools",
    );
  });

  test("of auto, and a wish for one call at a time, say nothing", () => {
    const generation = { toolChoice: "auto", parallelToolCalls: false } as const;
    expect(bodyOf({ tools: [tool], generation })).toEqual(bodyOf({ tools: [tool] }));
  });

  test.each(["required", { name: "add" }] as const)("of %j is refused", (toolChoice) => {
    expect(() => bodyOf({ tools: [tool], generation: { toolChoice } })).toThrow(
      "cannot force a tool call",
    );
    expect(() => bodyOf({ generation: { toolChoice } })).not.toThrow();
  });
});

test("a request without any message is refused", () => {
  expect(() => bodyOf({ items: [], systemPrompt: "s" })).toThrow("no message");
  expect(() => bodyOf({ items: [user(" \n")] })).toThrow("no message");
});

test("half a character in any text is replaced, so that the request stays valid", () => {
  const half = "ab\ud83d cd";
  const text = bodyText({
    systemPrompt: half,
    items: [user(half), said(half), call("1", `{"a":"${half}"}`), result("1", half)],
  });
  expect(text).not.toMatch(/\\ud83d/i);
  expect(text.match(/ab\uFFFD cd/g)).toHaveLength(5);
});

const anyText = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("", " ", "x"));
const anyId = fc.constantFrom("1", "2", "a/b", "");
const anyItem: fc.Arbitrary<Item> = fc.oneof(
  anyText.map((text) => userMessage(text)),
  anyText.map((text) => said(text)),
  fc.tuple(anyId, anyText).map(([id, text]) => call(id, text)),
  fc.tuple(anyId, anyText, fc.boolean()).map(([id, text, isError]) => result(id, text, isError)),
  fc.constantFrom(thought(), thought("other-model"), opaque("gemini", "m", { x: 1 })),
);

describe.skipIf(!hasSharedData)(`the judge of requests${skippedWhen}`, () => {
  test("finds no fault with any history", async () => {
    const judge = await requestJudge("ollama");
    fc.assert(
      fc.property(fc.array(anyItem, { maxLength: 25 }), (items) => {
        const body = bodyOf({ items: [user("x"), ...items], tools: [tool], systemPrompt: "s" });
        expect(judge(body)).toMatchObject({ errors: [], warnings: [] });
      }),
    );
  });
});
