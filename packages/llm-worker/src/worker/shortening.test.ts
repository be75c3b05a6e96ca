import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FaultyStore } from "../../test/support/faulty-store.js";
import { readBlob } from "../inspect/read.js";
import type { Item, ToolCallItem } from "../model/item.js";
import { leanLimits } from "../output/output-limits.js";
import { prune } from "./prune.js";
import { shorterCall, shorterResult, type Shortening } from "./shortening.js";

const ID = "0190a000-0000-7000-8000-000000000001";

function call(args: string): ToolCallItem {
  return { type: "tool_call", callId: "c1", name: "edit", arguments: args };
}

async function applied(shortening: Shortening | undefined, store: FaultyStore): Promise<Item> {
  if (shortening?.type !== "needs_store") throw new Error("nothing to store");
  return shortening.item(await store.store(shortening.content));
}

async function shortened(args: string, store: FaultyStore): Promise<ToolCallItem> {
  const item = await applied(shorterCall(call(args), 1024), store);
  if (item.type !== "tool_call") throw new Error("not a call");
  return item;
}

describe("a call that is made shorter", () => {
  test("has references in the place of long values, and its short ones byte for byte", async () => {
    const args = `{ "path":"src/a.ts", "at": 12345678901234567890,\n"text":${JSON.stringify("x".repeat(2000))}}`;
    const item = await shortened(args, new FaultyStore());
    expect(item.arguments).toBe(
      `{ "path":"src/a.ts", "at": 12345678901234567890,\n"text":"[blob:${ID}] | key:text"}`,
    );
    expect(item.blob).toEqual({
      id: ID,
      kind: "json_object",
      byteCount: Buffer.byteLength(args),
      count: 3,
    });
  });

  test("can be read back by each of its references", async () => {
    const store = new FaultyStore();
    const values = { edits: [{ old: "a".repeat(700), new: "b" }], "a | b": "c".repeat(700) };
    const item = await shortened(JSON.stringify(values), store);
    const references = Object.values(JSON.parse(item.arguments) as Record<string, string>);
    const read = await Promise.all(
      references.map(async (reference) => {
        const [, id = "", selector] = /^\[blob:(\S+)\] \| (.+)$/.exec(reference) ?? [];
        const { payload } = await readBlob(store, id, selector);
        return Buffer.from(payload).toString();
      }),
    );
    expect(read).toEqual([JSON.stringify(values.edits), values["a | b"]]);
  });

  test.each([
    ["short", JSON.stringify({ path: "a" })],
    ["no object", JSON.stringify(["x".repeat(2000)])],
    ["no JSON", `{"path": "${"x".repeat(2000)}`],
    [
      "all short values",
      JSON.stringify(Object.fromEntries([..."abcdefghijkl"].map((k) => [k, "x".repeat(150)]))),
    ],
  ])("is not made of arguments that are %s", (_title, args) => {
    expect(shorterCall(call(args), 1024)).toBeUndefined();
  });

  test("is not made of one that its provider may have signed, nor twice", async () => {
    const args = JSON.stringify({ text: "x".repeat(2000) });
    const providerData = { scheme: "gemini", model: "m", data: "signature" };
    expect(shorterCall({ ...call(args), providerData }, 1024)).toBeUndefined();
    const item = await shortened(args, new FaultyStore());
    expect(shorterCall(item, 10)).toBeUndefined();
  });

  test("is not made without a store: nothing may be lost", async () => {
    const hook = prune({ minArgumentsBytes: 10, minSavingsBytes: 1, protectedTurns: 0 });
    const items = [call(JSON.stringify({ text: "x".repeat(2000) }))];
    const facts = { turn: 1, items, lockedItemCount: 0, estimatedTokens: 0 };
    expect(await hook(facts, new AbortController().signal)).toBeUndefined();
  });

  test("is at most half as long, is a JSON object of the same keys, and loses nothing", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          fc.string(),
          fc.oneof(fc.jsonValue(), fc.string({ minLength: 300, unit: "binary" })),
        ),
        fc.constantFrom(0, 1, 4),
        async (values, indent) => {
          const args = JSON.stringify(values, null, indent);
          const store = new FaultyStore();
          const plan = shorterCall(call(args), 0);
          if (plan === undefined) return;
          const item = await applied(plan, store);
          if (item.type !== "tool_call") throw new Error("not a call");
          expect(2 * Buffer.byteLength(item.arguments)).toBeLessThanOrEqual(
            Buffer.byteLength(args),
          );
          expect(Object.keys(JSON.parse(item.arguments) as object)).toEqual(Object.keys(values));
          expect([...store.blobs.values()]).toMatchObject([{ type: "structured", raw: args }]);
        },
      ),
    );
  });
});

describe("a result that is made shorter", () => {
  const blob = { id: ID, kind: "text", byteCount: 3000, count: 1 } as const;
  const result = { type: "tool_result", callId: "c1", summary: "a line" } as const;

  test("drops a content that is in a store, or that may be forgotten", () => {
    const stored = { ...result, content: "x".repeat(3000), blob };
    expect(shorterResult(stored, leanLimits, false)).toEqual({
      type: "ready",
      item: { ...result, blob },
    });
    const only = { ...result, content: "x".repeat(3000), isError: true };
    expect(shorterResult(only, leanLimits, true)).toEqual({
      type: "ready",
      item: { ...result, isError: true },
    });
  });

  test("keeps what its summary says and its content does not", async () => {
    const content = "a line of the log\n".repeat(200);
    const summaryOf = async (summary: string): Promise<string> => {
      const plan = shorterResult({ ...result, summary, content }, leanLimits, false);
      const item = await applied(plan, new FaultyStore());
      return item.type === "tool_result" ? item.summary : "";
    };
    const head = `[blob:${ID}] text | 200 lines | 3600 bytes\n`;
    const words = `3 tests failed: ${"name of a test, ".repeat(40)}`;
    expect(await summaryOf(words)).toBe(head + words);
    const ours = "200 lines | a line of the log…";
    expect(await summaryOf(`${ours}\n[incomplete: it failed]`)).toBe(
      `${head}[incomplete: it failed]`,
    );
    for (const empty of [ours, ""]) expect(await summaryOf(empty)).toContain("── head ──");
  });

  test("is not made where a summary would save less than half", () => {
    const item = { ...result, summary: "", content: "x y z ".repeat(100) };
    expect(shorterResult(item, leanLimits, false)).toBeUndefined();
    expect(shorterResult(result, leanLimits, false)).toBeUndefined();
  });
});
