import { decodeDocument, toOutcome } from "@llm-worker/wire-testing";
import { collectItems, type Event, type Item, Timeline } from "llm-worker";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chunk, decodePayloads, end, scheme } from "../test/decode.js";

const hello = [chunk([{ text: "Hel" }]), chunk([{ text: "lo" }])];
const call = { functionCall: { name: "add", args: { a: 1 } } };

function itemsOf(payloads: readonly unknown[]): readonly Item[] {
  const timeline = new Timeline();
  const slots = collectItems(timeline);
  for (const event of decodePayloads(payloads)) timeline.dispatch(event);
  return slots.items;
}

const label = { scheme: "gemini", model: "gemini-3-test" };

test("a turn becomes status, blocks, usage and an end, in the order of the wire", () => {
  const first = {
    ...(hello[0] as object),
    responseId: "r1",
    modelVersion: "gemini-x",
    usageMetadata: { promptTokenCount: 3 },
  };
  expect(decodePayloads([first, hello[1], end()])).toEqual([
    { type: "status", status: "response_started", responseId: "r1", model: "gemini-x" },
    { type: "block_start", index: 0, kind: "text" },
    { type: "block_delta", index: 0, text: "Hel" },
    { type: "usage", usage: expect.objectContaining({ inputTokens: 3 }) },
    { type: "block_delta", index: 0, text: "lo" },
    { type: "block_stop", index: 0 },
    { type: "status", status: "response_finished", stop: { reason: "end", raw: "STOP" } },
  ]);
});

describe("what may go wrong in a stream", () => {
  test("F6: without a finish reason the open blocks are aborted and the answer is an error", () => {
    expect(decodePayloads(hello).slice(-2)).toMatchObject([
      { type: "block_abort", index: 0 },
      { type: "error", error: { code: "protocol", retryable: true } },
    ]);
  });

  test("F6: an unspecified finish reason is none", () => {
    const events = decodePayloads([...hello, end("FINISH_REASON_UNSPECIFIED")]);
    expect(toOutcome(events).outcome).toBe("incomplete");
  });

  test("F8, G9: a last chunk without parts, or without content, ends the answer", () => {
    for (const content of [undefined, {}, { role: "model" }, { parts: [] }]) {
      const events = decodePayloads([...hello, end("STOP", { content })]);
      expect(toOutcome(events)).toMatchObject({ outcome: "ok", text: "Hello" });
    }
  });

  test("F9: [DONE] and words that are no JSON are passed over, also after the end", () => {
    const events = decodePayloads(["keep-alive", ...hello, end(), "[DONE]"]);
    expect(toOutcome(events)).toMatchObject({ outcome: "ok", text: "Hello" });
  });

  test("F12: new kinds of events, fields and finish reasons do not break a turn", () => {
    const events = decodePayloads([
      { type: "keepalive" },
      ...hello,
      end("BRAND_NEW", { colour: "red" }),
    ]);
    expect(toOutcome(events)).toMatchObject({ outcome: "ok", text: "Hello" });
    expect(events.at(-1)).toMatchObject({ stop: { reason: "other", raw: "BRAND_NEW" } });
  });

  test("F12: a part of an unknown kind is kept in its place", () => {
    const part = { hologram: { size: 3 }, thoughtSignature: "c2ln" };
    expect(itemsOf([chunk([{ text: "a" }, part, { text: "b" }]), end()])).toMatchObject([
      { type: "message" },
      { type: "opaque", providerData: { ...label, data: part } },
      { type: "message" },
    ]);
  });

  test("F4: an event that is not JSON breaks the answer: something is missing", () => {
    const events = decodePayloads([...hello, '{"candidates":[{"con', end()]);
    expect(toOutcome(events)).toMatchObject({ outcome: "incomplete", text: "Hello" });
  });

  test("F14: an error after text ends the answer, whatever its finish reason was", () => {
    const error = { error: { code: 503, message: "sorry", status: "UNAVAILABLE" } };
    const events = decodePayloads([...hello, end(), error, chunk([{ text: "more" }])]);
    expect(events.slice(-2)).toEqual([
      { type: "block_abort", index: 0, reason: "sorry" },
      {
        type: "error",
        error: {
          code: "overloaded",
          message: "sorry",
          retryable: true,
          providerType: "UNAVAILABLE",
        },
      },
    ]);
  });

  test("fields of wrong types are passed over", () => {
    const odd = [
      { candidates: 7 },
      { candidates: [7, null, "x"] },
      chunk(["x", null, 7, []]),
      { candidates: [{ content: [], finishReason: 7 }] },
      { usageMetadata: { promptTokenCount: "many" }, promptFeedback: [] },
    ];
    expect(toOutcome(decodePayloads([...odd, ...hello, end()]))).toMatchObject({
      outcome: "ok",
      text: "Hello",
    });
  });

  test("arguments that are nested too deep to be written break the answer", () => {
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    const payload = `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"a","args":{"b":${deep}}}}]}}]}`;
    expect(toOutcome(decodePayloads([payload, end()]))).toMatchObject({
      outcome: "incomplete",
      toolCalls: [],
    });
  });
});

describe("parts", () => {
  test("only candidate 0 is decoded, wherever it stands", () => {
    const both = {
      candidates: [
        { index: 1, content: { parts: [{ text: "no" }] } },
        { index: 0, content: { parts: [{ text: "yes" }] }, finishReason: "STOP" },
      ],
    };
    expect(toOutcome(decodePayloads([both]))).toMatchObject({ outcome: "ok", text: "yes" });
  });

  test("thoughts are reasoning, apart from the text", () => {
    const thought = { text: "hm", thought: true };
    const events = decodePayloads([chunk([thought, { text: "a" }]), chunk([thought]), end()]);
    expect(toOutcome(events)).toMatchObject({
      text: "a",
      reasoning: "hmhm",
      parts: ["reasoning", "text", "reasoning"],
    });
  });

  test("G4: a signed text is an item of its own, also if it is empty", () => {
    const payloads = [
      chunk([{ text: "a" }]),
      chunk([{ text: "b", thoughtSignature: "Yg==" }]),
      chunk([{ text: "c" }]),
      chunk([{ text: "", thoughtSignature: "ZA==" }]),
      end(),
    ];
    const message = (text: string, thoughtSignature?: string): unknown => ({
      type: "message",
      role: "assistant",
      content: [{ type: "text", text }],
      ...(thoughtSignature === undefined
        ? {}
        : { providerData: { ...label, data: { thoughtSignature } } }),
    });
    expect(itemsOf(payloads)).toEqual([
      message("a"),
      message("b", "Yg=="),
      message("c"),
      message("", "ZA=="),
    ]);
  });

  test("G4: a thought can be signed, and a signature can come alone", () => {
    const parts = [
      { text: "hm", thought: true, thoughtSignature: "YQ==" },
      { thoughtSignature: "Yg==" },
    ];
    expect(itemsOf([chunk(parts), end()])).toEqual([
      {
        type: "reasoning",
        text: "hm",
        providerData: { ...label, data: { thoughtSignature: "YQ==" } },
      },
      { type: "opaque", providerData: { ...label, data: { thoughtSignature: "Yg==" } } },
    ]);
  });

  test("G15: empty parts leave nothing", () => {
    const parts = [
      {},
      { text: "" },
      { text: "", thought: true },
      { thought: true },
      { text: null },
    ];
    expect(itemsOf([chunk(parts), end()])).toEqual([]);
  });

  test.each([{ text: { a: 1 } }, { text: 7 }, { functionCall: 7 }])(
    "what is known but cannot be read, as %j, breaks the answer and is not sent back",
    (part) => {
      const outcome = toOutcome(decodePayloads([...hello, chunk([part]), end()]));
      expect(outcome).toMatchObject({ outcome: "incomplete", text: "Hello", parts: ["text"] });
    },
  );
});

describe("tool calls", () => {
  test("G1, G2, G3: the signature beside a call is kept with that call alone", () => {
    const parts = [{ ...call, thoughtSignature: "c2ln" }, call];
    expect(itemsOf([chunk(parts), end()])).toEqual([
      {
        type: "tool_call",
        callId: expect.any(String),
        name: "add",
        arguments: '{"a":1}',
        providerData: { ...label, data: { thoughtSignature: "c2ln" } },
      },
      { type: "tool_call", callId: expect.any(String), name: "add", arguments: '{"a":1}' },
    ]);
  });

  test("G16: an id of the server is used and kept; without one there is one that stays the same", () => {
    const withId = { functionCall: { id: "srv1", name: "add", args: {} } };
    const payloads = [chunk([withId, call, call]), end()];
    const [first, second, third] = toOutcome(decodePayloads(payloads)).toolCalls;
    expect(first?.id).toBe("srv1");
    expect(itemsOf(payloads)[0]).toMatchObject({ providerData: { data: { id: "srv1" } } });
    const blank = itemsOf([chunk([{ functionCall: { id: "", name: "add", args: {} } }]), end()]);
    expect(blank[0]).not.toHaveProperty("providerData");
    expect(second?.id).toMatch(/^call_\w+$/);
    expect(third?.id).not.toBe(second?.id);
    expect(toOutcome(decodePayloads(payloads)).toolCalls[1]?.id).toBe(second?.id);
    const other = toOutcome(
      decodePayloads([{ ...(payloads[0] as object), responseId: "r" }, end()]),
    );
    expect(other.toolCalls[1]?.id).not.toBe(second?.id);
  });

  test("G10: make a turn of tool use, though it ends in STOP in a later chunk", () => {
    expect(decodePayloads([chunk([call]), end()]).at(-1)).toMatchObject({
      stop: { reason: "tool_use", raw: "STOP" },
    });
  });

  test.each([
    ["MAX_TOKENS", "max_tokens"],
    ["SAFETY", "content_filter"],
    ["MALFORMED_FUNCTION_CALL", "error"],
  ])("do not hide that the turn was cut by %s", (raw, reason) => {
    expect(decodePayloads([chunk([call]), end(raw)]).at(-1)).toMatchObject({
      stop: { reason, raw },
    });
  });

  test("without arguments are calls all the same", () => {
    for (const args of [undefined, null, {}]) {
      const events = decodePayloads([chunk([{ functionCall: { name: "now", args } }]), end()]);
      expect(toOutcome(events).toolCalls).toMatchObject([{ name: "now", arguments: {} }]);
    }
  });
});

describe("calls whose arguments come in pieces", () => {
  const piece = (functionCall: object, fields: object = {}): unknown =>
    chunk([{ functionCall, ...fields }]);
  const started = piece(
    { name: "read", id: "c1", willContinue: true },
    { thoughtSignature: "c2ln" },
  );
  const more = (stringValue: string, willContinue = true): unknown =>
    piece({ partialArgs: [{ jsonPath: "$.id", stringValue, willContinue }], willContinue: true });
  const over = piece({});

  test("are one call, with its id and signature", () => {
    expect(itemsOf([started, more("A"), more("B", false), over, end()])).toEqual([
      {
        type: "tool_call",
        callId: "c1",
        name: "read",
        arguments: '{"id":"AB"}',
        providerData: { ...label, data: { thoughtSignature: "c2ln", id: "c1" } },
      },
    ]);
  });

  test("end with the next call, or with the first part if that is the last one", () => {
    const whole = piece({ name: "now", partialArgs: [{ jsonPath: "$.a", numberValue: 1 }] });
    expect(
      toOutcome(decodePayloads([started, more("A"), whole, over, end()])).toolCalls,
    ).toMatchObject([
      { name: "read", arguments: { id: "A" } },
      { name: "now", arguments: { a: 1 } },
    ]);
  });

  test("F6: that were not ended are incomplete, or cut where the token limit was met", () => {
    expect(toOutcome(decodePayloads([started, more("A"), end()])).outcome).toBe("incomplete");
    expect(toOutcome(decodePayloads([started, more("A"), end("MAX_TOKENS")]))).toMatchObject({
      outcome: "ok",
      stopReason: "max_tokens",
      toolCalls: [],
    });
  });

  test("that cannot be read break the answer", () => {
    const odd = piece({
      partialArgs: [{ jsonPath: "$..*", stringValue: "x" }],
      willContinue: true,
    });
    expect(toOutcome(decodePayloads([started, odd, over, end()])).outcome).toBe("incomplete");
    const first = piece({ name: "read", partialArgs: ["x"], willContinue: true });
    expect(toOutcome(decodePayloads([first, over, end()])).outcome).toBe("incomplete");
  });
});

describe("usage", () => {
  const usageOf = (...totals: readonly object[]): Event | undefined =>
    decodePayloads([...totals.map((usageMetadata) => ({ usageMetadata })), end()]).findLast(
      ({ type }) => type === "usage",
    );

  test("G11: of later chunks replaces that of earlier ones, field by field", () => {
    expect(
      usageOf(
        { promptTokenCount: 10, candidatesTokenCount: 1, trafficType: "ON_DEMAND" },
        { promptTokenCount: 10, candidatesTokenCount: 4, trafficType: null },
      ),
    ).toMatchObject({
      usage: {
        inputTokens: 10,
        outputTokens: 4,
        raw: { promptTokenCount: 10, candidatesTokenCount: 4, trafficType: "ON_DEMAND" },
      },
    });
  });

  test("G11: of any chunks is each field in the latest value that is no null", () => {
    const count = fc.option(fc.nat(), { freq: 3 });
    const report = fc.record(
      { promptTokenCount: count, candidatesTokenCount: count, cachedContentTokenCount: count },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(report, { minLength: 1 }), (reports) => {
        const latest: Record<string, number> = {};
        for (const one of reports) {
          for (const [field, value] of Object.entries(one))
            if (value !== null) latest[field] = value;
        }
        expect(usageOf(...reports)).toMatchObject({
          usage: { cacheReadTokens: latest["cachedContentTokenCount"], raw: latest },
        });
      }),
    );
  });

  test("G12: counts thoughts among the output, tools' prompts among the input, and the cache once", () => {
    const totals = {
      promptTokenCount: 100,
      toolUsePromptTokenCount: 20,
      cachedContentTokenCount: 80,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 7,
    };
    expect(usageOf(totals)).toMatchObject({
      usage: { inputTokens: 120, cacheReadTokens: 80, outputTokens: 12, reasoningTokens: 7 },
    });
  });

  test("that is not reported stays unknown", () => {
    expect(usageOf({ trafficType: "ON_DEMAND" })).toMatchObject({
      usage: { inputTokens: undefined, outputTokens: undefined, cacheReadTokens: undefined },
    });
  });
});

describe("stop reasons", () => {
  test.each([
    ["STOP", "end"],
    ["MAX_TOKENS", "max_tokens"],
    ["RECITATION", "content_filter"],
    ["SPII", "content_filter"],
    ["IMAGE_SAFETY", "content_filter"],
    ["MODEL_ARMOR", "content_filter"],
    ["MISSING_THOUGHT_SIGNATURE", "error"],
    ["LANGUAGE", "other"],
    ["toString", "other"],
  ])("%s is %s", (raw, reason) => {
    expect(decodePayloads([end(raw)]).at(-1)).toMatchObject({ stop: { reason, raw } });
  });

  test("the last of several counts, and its message goes along", () => {
    const events = decodePayloads([end(), end("OTHER", { finishMessage: "because" })]);
    expect(events.at(-1)).toMatchObject({
      stop: { reason: "other", raw: "OTHER", detail: { finishMessage: "because" } },
    });
  });

  test("G14: a refused prompt is a content filter, though it has no candidate", () => {
    const promptFeedback = { blockReason: "PROHIBITED_CONTENT", safetyRatings: [] };
    const usageMetadata = { promptTokenCount: 4 };
    expect(decodePayloads([{ promptFeedback, usageMetadata }]).at(-1)).toEqual({
      type: "status",
      status: "response_finished",
      stop: { reason: "content_filter", raw: "PROHIBITED_CONTENT", detail: promptFeedback },
    });
  });
});

describe("an answer that is one document", () => {
  const whole = {
    candidates: [{ content: { parts: [{ text: "Hello" }, call] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 2, candidatesTokenCount: 3 },
  };
  const outcomeOf = (body: unknown) => toOutcome(decodeDocument(scheme, JSON.stringify(body)));

  test("decodes to the events of a stream of one chunk", () => {
    expect(decodeDocument(scheme, JSON.stringify(whole))).toEqual(decodePayloads([whole]));
  });

  test("G17: may be a list of chunks, as without alt=sse", () => {
    expect(outcomeOf([...hello, end()])).toMatchObject({ outcome: "ok", text: "Hello" });
  });

  test("F14: is an error if it holds one, alone or in a list", () => {
    const error = { error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "slow" } };
    for (const body of [error, [error], [...hello, error]]) {
      expect(outcomeOf(body)).toMatchObject({
        outcome: "error_midstream",
        error: { code: "rate_limited", message: "slow" },
      });
    }
  });

  test.each(["", "7", "{}", "[]", '{"choices":[]}', "<html>"])("%j is none of this API", (body) => {
    const [error, ...others] = decodeDocument(scheme, body);
    expect(error).toMatchObject({ type: "error", error: { code: "protocol" } });
    expect(others).toEqual([]);
  });

  test("F6: is incomplete without a finish reason", () => {
    expect(outcomeOf(hello[0])).toMatchObject({ outcome: "incomplete" });
  });
});
