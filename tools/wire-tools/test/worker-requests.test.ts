import {
  defineTool,
  type Item,
  lazyLoad,
  prune,
  summaryAndContent,
  type Tool,
  type ToolOutputPolicy,
  Worker,
  type WorkerSnapshot,
} from "llm-worker";
import { MemoryBlobStore } from "llm-worker-persistence";
import { assertPrefixStable } from "llm-worker/testing";
import { hasSharedData, requestJudge, skippedWhen } from "@llm-worker/wire-testing";
import { describe, expect, test } from "vitest";
import type { Wire } from "../src/wires.js";
import {
  ALL_WIRES,
  callsTools,
  inspectsNewest,
  says,
  type Script,
  WireSession,
} from "./wire-session.js";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let serial = 0;
function tool(name: string, execute: () => unknown): Tool {
  return defineTool({
    name,
    description: `The tool ${name}.`,
    input: { type: "object", properties: {} },
    execute,
  });
}
const tools: readonly Tool[] = [
  tool("large", () => `output ${++serial} of the log\n`.repeat(2000)),
  tool("json", () =>
    Array.from({ length: 500 }, (_, id) => ({ id, $ref: "#/x", serial: ++serial })),
  ),
  tool("small", () => `small ${++serial}`),
  tool("empty", () => ""),
  tool("picture", () => [
    { type: "text", text: "a dot" },
    { type: "image", source: { type: "base64", mediaType: "image/png", data: PNG } },
  ]),
  tool("failing", () => {
    throw new Error("the upstream timed out");
  }),
  tool("risky", () => "done"),
];

/** Fails unless the validator takes every body that the session built. */
async function expectValid(wire: Wire, session: WireSession): Promise<void> {
  if (!hasSharedData) return;
  const judge = await requestJudge(wire);
  for (const body of session.bodies) {
    const verdict = judge(JSON.parse(body), { model: session.model });
    expect(verdict.errors).toEqual([]);
  }
}

const everyTool: readonly Script[] = [
  callsTools(...tools.map(({ name }, i) => ({ name, callId: `call_a${i}` }))),
  inspectsNewest("call_b", "lines:1-3"),
  callsTools({ name: "nope", callId: "call_c" }, { name: "large", callId: "call/odd id äö" }),
  says("seen"),
];

const policies: readonly ToolOutputPolicy[] = [lazyLoad(), summaryAndContent()];

describe.each(ALL_WIRES)(`requests of a Worker over %s${skippedWhen}`, (wire) => {
  test.each(policies)("are taken by the wire, whatever tools return ($name)", async (policy) => {
    const session = new WireSession(wire, ...everyTool, says("and on"));
    const worker = new Worker({
      provider: session,
      tools,
      store: new MemoryBlobStore(),
      policy,
      systemPrompt: "Be brief.",
      generation: { maxOutputTokens: 2000, toolChoice: "auto" },
    });
    expect(await worker.run("look around")).toMatchObject({ status: "finished", text: "seen" });
    await worker.run([
      { type: "text", text: "and this?" },
      { type: "image", source: { type: "base64", mediaType: "image/png", data: PNG } },
    ]);
    expect(session.bodies).toHaveLength(5);
    await expectValid(wire, session);
  });

  test("F23: the locked prefix is the same bytes through promotions, inspects, prunes and a pause", async () => {
    const turns = Array.from({ length: 20 }, (_, i) => [
      callsTools({ name: "large", callId: `call_l${i}` }, { name: "small", callId: `call_s${i}` }),
      inspectsNewest(`call_i${i}`, `lines:${i + 1}-${i + 60}`),
    ]).flat();
    const session = new WireSession(
      wire,
      callsTools({ name: "json", callId: "call_first" }),
      says("ready"),
      ...turns,
      says("done"),
    );
    const store = new MemoryBlobStore();
    const worker = new Worker({ provider: session, tools, store, systemPrompt: "Be brief." });
    await worker.run("get ready");
    const locked = worker.lock();
    locked.hook("preLlmRequest", prune({ store, protectedTurns: 2, minSavingsTokens: 500 }));
    let pauses = 0;
    locked.hook("onTurnEnd", ({ turn }) =>
      turn === 10 && pauses++ === 0 ? { pause: "half time" } : undefined,
    );
    expect(await locked.run("go")).toMatchObject({ status: "paused" });
    const snapshot = JSON.parse(JSON.stringify(locked.snapshot())) as WorkerSnapshot;
    const restored = Worker.restore(snapshot, { provider: session, tools, store });
    expect(await restored.resume()).toMatchObject({ status: "finished", text: "done" });
    expect(session.requests).toHaveLength(43);
    expect(() => assertPrefixStable(session.scheme, session.requests)).not.toThrow();
    await expectValid(wire, session);
  });

  test("F26: after a pause for approval and a refusal the next request is valid", async () => {
    const store = new MemoryBlobStore();
    const first = new WireSession(
      wire,
      callsTools({ name: "large", callId: "call_1" }, { name: "risky", callId: "call_2" }),
    );
    const worker = new Worker({ provider: first, tools, store });
    worker.hook("preToolCall", ({ name }) => (name === "risky" ? { pause: "ask" } : undefined));
    expect(await worker.run("go")).toMatchObject({ status: "paused" });
    const stored = await idsIn(store);
    const before = serial;
    const snapshot = JSON.parse(JSON.stringify(worker.snapshot())) as WorkerSnapshot;
    const next = new WireSession(wire, says("understood"));
    const restored = Worker.restore(snapshot, { provider: next, tools, store });
    await restored.resume({ deny: { call_2: "not today" } });
    expect(serial).toBe(before);
    expect(await idsIn(store)).toEqual(stored);
    expect(next.bodies[0]).toContain("not today");
    await expectValid(wire, next);
  });

  test("a session that was cut off anywhere goes on with a valid request", async () => {
    for (let events = 1; events < 24; events += 1) {
      const abort = new AbortController();
      const session = new WireSession(wire, ...everyTool.slice(0, 2), says("after"));
      const worker = new Worker({ provider: session, tools, store: new MemoryBlobStore() });
      let seen = 0;
      worker.onEvent(() => void (++seen === events && abort.abort()));
      expect(await worker.run("go", { signal: abort.signal })).toMatchObject({ status: "aborted" });
      await worker.run("go on");
      await expectValid(wire, session);
    }
  });

  test.each(ALL_WIRES.filter((other) => other !== wire))(
    "a history that began on %s goes on here",
    async (other) => {
      const store = new MemoryBlobStore();
      const began = new Worker({
        provider: new WireSession(other, ...everyTool.slice(0, 2), says("seen")),
        tools,
        store,
      });
      await began.run("look around");
      const session = new WireSession(
        wire,
        callsTools({ name: "small", callId: "call_z" }),
        says("ok"),
      );
      const labelled = began.items.map((item) => withDataOf(other, item));
      const worker = new Worker({ provider: session, tools, store, items: labelled });
      expect(await worker.run("go on")).toMatchObject({ status: "finished" });
      await expectValid(wire, session);
    },
  );
});

/** Labels what the model made with data that only its own provider understands. */
function withDataOf(scheme: Wire, item: Item): Item {
  if (item.type !== "reasoning" && item.type !== "tool_call") return item;
  const data = { type: "thinking", signature: "c2lnbmF0dXJl", encrypted_content: "gAAA" };
  return { ...item, providerData: { scheme, model: "another-model", data } };
}

async function idsIn(store: MemoryBlobStore): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of store.list()) ids.push(id);
  return ids;
}
