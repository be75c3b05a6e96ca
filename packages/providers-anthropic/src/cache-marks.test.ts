import fc from "fast-check";
import { type Item, type LlmRequest, type ToolDefinition, userMessage } from "llm-worker";
import { describe, expect, test } from "vitest";
import type { AnthropicSchemeOptions } from "./build-request.js";
import { AnthropicScheme } from "./scheme.js";

const tool: ToolDefinition = { name: "t", description: "", inputSchema: { type: "object" } };
const user = userMessage;
const said = (text: string): Item => ({
  type: "message",
  role: "assistant",
  content: [{ type: "text", text }],
});
const exchange = (callId: string): Item[] => [
  { type: "tool_call", callId, name: "t", arguments: '{"a":1}' },
  { type: "tool_result", callId, summary: `result ${callId}` },
];

function bodyText(
  request: Partial<LlmRequest>,
  options: Partial<AnthropicSchemeOptions> = {},
): string {
  const scheme = new AnthropicScheme({ model: "claude-test", ...options });
  return String(scheme.buildRequest({ tools: [], items: [user("hi")], ...request }).body);
}

/** What stands before each mark: the last word of the block that carries it. */
function markedBlocks(body: string): (string | undefined)[] {
  return body
    .split(',"cache_control":{"type":"ephemeral"')
    .slice(0, -1)
    .map((before) => /"([^"]*)"[^"]*$/.exec(before)?.[1]);
}

describe("A12: cache marks", () => {
  test("stand at the end of system, of the last request, and of this one", () => {
    const items = [user("a"), ...exchange("1"), ...exchange("2"), user("b")];
    expect(markedBlocks(bodyText({ systemPrompt: "sys", tools: [tool], items }))).toEqual([
      "sys",
      "result 1",
      "b",
    ]);
    expect(markedBlocks(bodyText({ systemPrompt: "sys", items: [user("a")] }))).toEqual([
      "sys",
      "a",
    ]);
  });

  test("stand on the last tool where there is no system prompt", () => {
    expect(bodyText({ tools: [tool] })).toContain(
      '"input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}]',
    );
  });

  test("stand where the lock is, in every request", () => {
    const locked = [user("a"), said("b"), user("c")];
    const marks = (more: readonly Item[]): unknown =>
      markedBlocks(
        bodyText({ systemPrompt: "sys", items: [...locked, ...more], lockedItemCount: 3 }),
      );
    expect(marks([])).toEqual(["sys", "c"]);
    expect(marks([said("d"), user("e")])).toEqual(["sys", "c", "e"]);
    expect(marks([said("d"), user("e"), said("f"), user("g")])).toEqual(["sys", "c", "e", "g"]);
  });

  test("carry the time to live, or are left out", () => {
    expect(bodyText({}, { cacheTtl: "1h" })).toContain(
      '"cache_control":{"type":"ephemeral","ttl":"1h"}',
    );
    expect(bodyText({ systemPrompt: "s", tools: [tool] }, { cache: "off" })).not.toContain(
      "cache_control",
    );
  });

  test("do not stand on thinking or on blocks of the server", () => {
    const opaque: Item = {
      type: "opaque",
      providerData: { scheme: "anthropic", model: "claude-test", data: { type: "compaction" } },
    };
    expect(markedBlocks(bodyText({ items: [user("a"), opaque] }))).toEqual(["a"]);
  });

  test("do not stand on words that are ours and gone in the next request", () => {
    expect(markedBlocks(bodyText({ items: [user("a"), said("b")] }))).toEqual(["a", "b"]);
  });
});

/** A turn as a worker appends it. */
const turn = fc.oneof(
  fc.constant([said("answer"), user("next")]),
  fc.nat(9).map((n) => exchange(`call ${n}`)),
  fc.nat(9).map((n) => [said("let me see"), ...exchange(`call ${n}`), ...exchange(`more ${n}`)]),
);
const turns = fc.array(turn, { maxLength: 6 }).map((list) => list.flat());

test("F23: the locked prefix is the same bytes in every request", () => {
  fc.assert(
    fc.property(turns, turns, turns, (before, after, later) => {
      const scheme = new AnthropicScheme({ model: "claude-test" });
      const locked = [user("begin"), ...before];
      const build = (items: readonly Item[]): string =>
        String(
          scheme.buildRequest({
            systemPrompt: "sys",
            tools: [tool],
            items,
            lockedItemCount: locked.length,
          }).body,
        );
      const atLock = build([...locked, user("go on")]);
      const prefix = atLock
        .slice(0, atLock.indexOf('{"type":"text","text":"go on"'))
        .replace(/,$/, "");
      expect(prefix).toContain("begin");
      const grown = build([...locked, user("go on"), ...after]);
      const grownMore = build([...locked, user("go on"), ...after, ...later]);
      expect(grown.startsWith(prefix)).toBe(true);
      expect(grownMore.startsWith(prefix)).toBe(true);
      expect(prefix.endsWith('"cache_control":{"type":"ephemeral"}}') || prefix.endsWith("[")).toBe(
        true,
      );
    }),
  );
});

test("without a lock too, a request goes on from the last one's bytes but for the marks", () => {
  fc.assert(
    fc.property(turns, turns, (before, after) => {
      const items = [user("begin"), ...before];
      const prefix = bodyText({ items }, { cache: "off" });
      const messages = prefix.slice(0, prefix.indexOf('],"max_tokens"') - "]}".length);
      expect(bodyText({ items: [...items, ...after] }, { cache: "off" })).toContain(messages);
    }),
  );
});

test("the same history gives the same bytes, from the same scheme and from another", () => {
  fc.assert(
    fc.property(turns, (list) => {
      const request = { tools: [tool], items: [user("begin"), ...list] };
      const scheme = new AnthropicScheme({ model: "claude-test" });
      const first = String(scheme.buildRequest(request).body);
      expect(String(scheme.buildRequest(request).body)).toBe(first);
      const copy = JSON.parse(JSON.stringify(request)) as typeof request;
      expect(bodyText(copy)).toBe(first);
    }),
  );
});
