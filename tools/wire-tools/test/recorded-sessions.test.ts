import {
  type RecordedSession,
  recordedSessions,
  requestJudge,
  skippedWhen,
} from "@llm-worker/wire-testing";
import {
  defineTool,
  type Item,
  prune,
  readBlob,
  summaryAndContent,
  type Tool,
  type ToolResultItem,
  toolResultText,
  Worker,
  type WorkerDeps,
} from "llm-worker";
import { MemoryBlobStore } from "llm-worker-persistence";
import { describe, expect, test } from "vitest";
import { ALL_WIRES, WireSession } from "./wire-session.js";

/** The ways in which outputs leave a history. */
const SETUPS: Readonly<Record<string, Omit<WorkerDeps, "provider" | "store">>> = {
  lean: { profile: "lean" },
  fresh: { profile: "fresh" },
  pruned: { policy: summaryAndContent() },
};

/** Longer ones take seconds, as each request is compared with the one before. */
const MAX_REQUESTS = 80;

const sessions = recordedSessions().filter(({ answers }) => answers.length <= MAX_REQUESTS);
/** Each session once, so that each wire meets each setup. */
const cases = sessions.map((session, i) => {
  const wire = ALL_WIRES[i % ALL_WIRES.length] ?? "anthropic";
  const setup = Object.keys(SETUPS)[i % Object.keys(SETUPS).length] ?? "lean";
  return { name: session.name, wire, setup, session };
});

/** The recorded tools. Calls of the session have ids of their own, so the id says what it gave. */
function toolsOf({ answers, outputs }: RecordedSession): readonly Tool[] {
  const names = answers
    .flat()
    .flatMap((event) =>
      event.type === "block_start" && event.kind === "tool_use" ? [event.name] : [],
    );
  return [...new Set(names)].map((name) =>
    defineTool({
      name,
      description: "As it was recorded.",
      input: { type: "object" },
      execute: (_input, { callId }) => {
        const { output, isError } = outputs.get(callId) ?? { output: "", isError: false };
        if (isError) throw new Error(output);
        return output;
      },
    }),
  );
}

/** The list of messages in a body, without the cache marks, which move. */
function messagesOf(body: string): readonly string[] {
  const { messages, input, contents } = JSON.parse(
    body.replaceAll(/,"cache_control":{[^}]*}/g, ""),
  );
  return (messages ?? input ?? contents).map((message: unknown) => JSON.stringify(message));
}

/** All of a stored output, as the model would read it: from one answer to the next. */
async function readAll(store: MemoryBlobStore, id: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  let selector: string | undefined = "";
  while (selector !== undefined) {
    const { isError, payload, next } = await readBlob(store, id, selector);
    expect(isError).toBe(false);
    pieces.push(payload);
    selector = next;
  }
  return Buffer.concat(pieces).toString();
}

describe.skipIf(sessions.length === 0)(`recorded sessions${skippedWhen}`, () => {
  test.each(cases)("$name over $wire, $setup", async ({ wire, setup, session }) => {
    const finished = {
      type: "status",
      status: "response_finished",
      stop: { reason: "end" },
    } as const;
    const provider = new WireSession(
      wire,
      ...session.answers.map((events) => () => [...events, finished]),
    );
    const store = new MemoryBlobStore();
    const deps = { ...SETUPS[setup], provider, store, tools: toolsOf(session) };
    const worker = new Worker({ ...deps, limits: { maxTurns: 1000 } });
    if (setup === "pruned") {
      worker.hook(
        "preLlmRequest",
        prune({ store, minSavingsTokens: 1000, minArgumentsBytes: 500 }),
      );
    }
    const changed = new Set<number>();
    worker.onEvent(({ type }) => {
      if (type === "prefix_changed") changed.add(provider.requests.length);
    });
    for (const prompt of session.prompts) await worker.run(prompt);

    const judge = await requestJudge(wire);
    const messages = provider.bodies.map(messagesOf);
    // What has been said stays as it is, unless the worker tells of a change.
    const unannounced = [...messages.keys()].filter((n) => {
      const before = messages[n - 1]?.slice(0, -1) ?? [];
      return !changed.has(n) && before.some((message, i) => message !== messages[n]?.[i]);
    });
    expect(unannounced).toEqual([]);
    const judged = [...changed, provider.bodies.length - 1];
    const errors = judged.flatMap((n) => {
      return judge(JSON.parse(provider.bodies[n] ?? ""), { model: provider.model }).errors;
    });
    expect(errors).toEqual([]);

    const results = worker.items.filter(
      (item): item is ToolResultItem => item.type === "tool_result",
    );
    expect(results.map(({ callId }) => callId)).toEqual(callIdsIn(worker.items));
    for (const item of results) {
      const { blob, content } = item;
      const seen =
        blob !== undefined && content === undefined
          ? await readAll(store, blob.id)
          : toolResultText(item);
      expect(seen).toContain(session.outputs.get(item.callId)?.output.toWellFormed() ?? "");
    }
  });
});

function callIdsIn(items: readonly Item[]): string[] {
  return items.flatMap((item) => (item.type === "tool_call" ? [item.callId] : []));
}
