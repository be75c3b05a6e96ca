import fc from "fast-check";
import {
  call,
  hasSharedData,
  opaque,
  requestJudge,
  type RequestProfile,
  skippedWhen,
  thought,
  tool,
} from "@llm-worker/wire-testing";
import type {
  ContentPart,
  Item,
  JsonValue,
  MediaPart,
  MessageItem,
  ToolResultItem,
} from "llm-worker";
import { describe, expect, test } from "vitest";
import type { Wire } from "../src/wires.js";
import { ALL_WIRES, schemeOf } from "./wire-session.js";

/** What servers give to be sent back, as they give it. */
const GIVEN: Readonly<Record<Wire, readonly { readonly [field: string]: JsonValue }[]>> = {
  anthropic: [
    { type: "thinking", signature: "c2ln" },
    { type: "redacted_thinking", data: "ZGF0YQ==" },
    { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } },
    { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
  ],
  "openai-responses": [
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" },
    { type: "reasoning", id: "rs_2", summary: [] },
    { type: "message", id: "msg_1", phase: "final_answer" },
    { type: "function_call", id: "fc_1" },
    { type: "custom_tool_call", id: "ctc_1" },
    { type: "compaction", id: "cmp_1", encrypted_content: "gAAA" },
  ],
  "openai-chat": [
    { type: "reasoning", field: "reasoning_content" },
    { type: "tool_call", extra_content: { google: { thought_signature: "c2ln" } } },
  ],
  gemini: [
    { thoughtSignature: "c2ln" },
    { id: "g1", thoughtSignature: "c2ln" },
    { executableCode: { language: "PYTHON", code: "1" } },
    { toolCall: { id: "t1", toolType: "GOOGLE_SEARCH_WEB", args: {} } },
    { toolResponse: { id: "t1", toolType: "GOOGLE_SEARCH_WEB", response: {} } },
  ],
  ollama: [{ type: "thinking" }],
};
/** Which of them are items of their own, as no other item says the same. */
const OPAQUE = /^(server_|web_|compaction)|executableCode|toolCall|toolResponse/;

const PNG = { type: "base64", mediaType: "image/png", data: "iVBORw0KGgo=" } as const;
const media = fc.constantFrom<MediaPart>(
  { type: "image", source: PNG },
  { type: "image", source: { ...PNG, mediaType: "image/tiff" } },
  { type: "image", source: { type: "url", url: "https://x.test/a.png" } },
  { type: "file", name: "", source: { ...PNG, mediaType: "application/pdf" } },
  { type: "file", source: { ...PNG, mediaType: "text/plain" } },
  { type: "file", source: { ...PNG, mediaType: "audio/wav" } },
  { type: "file", source: { type: "url", url: "https://x.test/a.pdf" } },
);
const text = fc.constantFrom("", " \n", "x", 'li"ne\\ → 🙂', "half \ud83d", "\u0000", "Error: x");
const id = fc.constantFrom("", "1", "2", "1#2", "a b", "x".repeat(100), "\ud83d", "__proto__");
const name = fc.constantFrom("add", "", "9 lives", "größe", "x".repeat(200), "__proto__");
const args = fc.constantFrom("", "{}", '{"a":1.0}', "null", '{"a":1}{', "no JSON", '"\\ud83d"');
const part: fc.Arbitrary<ContentPart> = fc.oneof(
  { arbitrary: text.map((words) => ({ type: "text" as const, text: words })), weight: 3 },
  media,
);

/** Items as users, tools and the models of all wires make them, in any order. */
function itemsOf(schemes: readonly Wire[]): fc.Arbitrary<Item> {
  const given = fc.constantFrom(
    ...schemes.flatMap((scheme) =>
      [schemeOf(scheme).model, "other"].flatMap((model) =>
        GIVEN[scheme].map((data) => ({ scheme, model, data })),
      ),
    ),
  );
  const content = fc.array(part, { maxLength: 3 });
  const role = fc.constantFrom("user" as const, "assistant" as const);
  const message = fc.record<MessageItem>({ type: fc.constant("message"), role, content });
  const made = fc.record({
    type: fc.constant("tool_call" as const),
    callId: id,
    name,
    arguments: args,
  });
  return fc.oneof(
    message,
    made,
    fc.record<ToolResultItem, "type" | "callId" | "summary">(
      {
        type: fc.constant("tool_result"),
        callId: id,
        summary: text,
        content: text,
        isError: fc.boolean(),
        parts: fc.array(media, { maxLength: 2 }),
      },
      { requiredKeys: ["type", "callId", "summary"] },
    ),
    fc.tuple(given, message, made).map(([{ scheme, model, data }, said, called]): Item => {
      const { type: kind = Object.keys(data)[0] } = data;
      if (typeof kind !== "string") throw new Error("no type and no field");
      if (OPAQUE.test(kind)) return opaque(scheme, model, data);
      const providerData = { scheme, model, data };
      if (kind === "message") return { ...said, role: "assistant", providerData };
      if (/call|^id$/.test(kind)) return { ...called, providerData };
      return thought(scheme, model, data);
    }),
  );
}

/** The texts of messages, in their order, numbered so that each can be found. */
function numbered(items: readonly Item[]): { items: Item[]; marks: string[] } {
  const marks: string[] = [];
  const mark = (one: ContentPart): ContentPart => {
    if (one.type !== "text" || one.text.trim() === "") return one;
    marks.push(`<${marks.length}>`);
    return { ...one, text: `<${marks.length - 1}>${one.text}` };
  };
  const marked = items.map((item) =>
    item.type === "message" ? { ...item, content: item.content.map(mark) } : item,
  );
  return { items: marked, marks };
}

describe.skipIf(!hasSharedData)(`any history${skippedWhen}`, () => {
  test.each(ALL_WIRES)("is a request that %s takes, with all that was said", async (wire) => {
    const profile: RequestProfile = wire === "openai-chat" ? "openai-compat" : wire;
    const judge = await requestJudge(profile);
    fc.assert(
      fc.property(fc.array(itemsOf(ALL_WIRES), { maxLength: 12 }), fc.nat(12), (history, lock) => {
        const { items, marks } = numbered([...history, call("last"), ...history]);
        const lockedItemCount = Math.min(lock, items.length);
        const scheme = schemeOf(wire);
        const body = String(scheme.buildRequest({ tools: [tool], items, lockedItemCount }).body);
        expect(judge(JSON.parse(body), { model: scheme.model }).errors).toEqual([]);
        expect(body.match(/<\d+>/g) ?? []).toEqual(marks);
      }),
      { numRuns: 300 },
    );
  });
});
