import { describe, expect, test } from "vitest";
import { says, ScriptedProvider } from "../../test/support/scripted-provider.js";
import type { WireRequest } from "../client/scheme.js";
import { type Item, userMessage } from "../model/item.js";
import type { LlmRequest } from "../model/request.js";
import { Worker } from "../worker/worker.js";
import { assertPrefixStable } from "./assert-prefix-stable.js";
import { RequestRecorder } from "./request-recorder.js";

/** A wire of our own that marks the last item, as providers' cache marks do. */
const scheme = {
  buildRequest({ systemPrompt, tools, items }: LlmRequest): WireRequest {
    const messages = items.map((item) => JSON.stringify(item));
    const body = `{"tools":${JSON.stringify(tools)},"system":${JSON.stringify(systemPrompt ?? "")},"messages":[${messages.join(",")}],"stream":true}`;
    return { path: "/", headers: {}, body };
  },
};

function locked(items: readonly Item[], lockedItemCount = 2): LlmRequest {
  return { tools: [], items, lockedItemCount };
}

const [a, b, c, d] = ["a", "b", "c", "d"].map(userMessage) as [Item, Item, Item, Item];

describe("assertPrefixStable", () => {
  test("passes a locked session that only grows", async () => {
    const recorder = new RequestRecorder(new ScriptedProvider(says("1"), says("2"), says("3")));
    const worker = new Worker({ provider: recorder, systemPrompt: "Be brief." });
    await worker.run("one");
    const again = worker.lock();
    await again.run("two");
    await again.run("three");
    expect(recorder.requests.map(({ items }) => items.length)).toEqual([1, 3, 5]);
    assertPrefixStable(scheme, recorder.requests);
  });

  test("what follows the lock may change", () => {
    const requests = [locked([a, b]), locked([a, b, c]), locked([a, b, d, c])];
    expect(() => assertPrefixStable(scheme, requests)).not.toThrow();
  });

  test("names the request and the byte at which a locked item has changed", () => {
    const requests = [locked([a, b, c]), locked([a, b, c, d]), locked([a, d, c])];
    expect(() => assertPrefixStable(scheme, requests)).toThrow(
      expect.objectContaining({ code: "prefix_unstable", requestIndex: 2 }),
    );
  });

  test("a changed prompt or tool is found too", () => {
    const tool = { name: "t", description: "A tool.", inputSchema: { type: "object" } };
    const first = locked([a, b, c]);
    for (const changed of [{ systemPrompt: "x" }, { tools: [tool] }]) {
      expect(() => assertPrefixStable(scheme, [first, { ...first, ...changed }])).toThrow(
        "request 1",
      );
    }
  });

  test("a scheme that writes a locked item differently once others follow is found out", () => {
    const fickle = {
      buildRequest: (request: LlmRequest) => ({
        path: "/",
        headers: {},
        body: request.items
          .map((item, i) => JSON.stringify({ item, isLast: i === request.items.length - 1 }))
          .join(),
      }),
    };
    expect(() => assertPrefixStable(fickle, [locked([a, b, c]), locked([a, b])])).toThrow(
      "request 1",
    );
  });

  test("unlocked requests are passed over, and a new lock begins anew", () => {
    const { lockedItemCount: _none, ...unlocked } = locked([d]);
    const requests = [locked([a, b, c]), unlocked, locked([d, c, b]), locked([d, c, a])];
    expect(() => assertPrefixStable(scheme, requests)).not.toThrow();
  });
});
