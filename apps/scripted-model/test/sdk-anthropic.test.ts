import type Anthropic from "@anthropic-ai/sdk";
import type { MessageParam } from "@anthropic-ai/sdk/resources/messages";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ScriptedModel, startScriptedModel } from "../src/server.js";
import { NEEDLE_QUESTION, NEEDLE_QUOTE, needleFiles } from "./support/needle.js";
import { answerCalls, createClient, sdkTools } from "./support/messages.js";
import { createWorkspace } from "./support/workspace.js";

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel();
});
afterAll(() => model.close());

interface Run {
  readonly answer: string;
  readonly messages: readonly Anthropic.Message[];
}

async function run(
  question: string,
  settings: Partial<Anthropic.MessageStreamParams> = {},
): Promise<Run> {
  const client = createClient(model.url);
  const workspace = createWorkspace(needleFiles);
  const history: MessageParam[] = [{ role: "user", content: question }];
  const messages: Anthropic.Message[] = [];
  for (;;) {
    const params = { model: "scripted", max_tokens: 4000, tools: sdkTools, messages: history };
    const message = await client.messages.stream({ ...params, ...settings }).finalMessage();
    messages.push(message);
    if (message.stop_reason !== "tool_use") {
      const text = message.content.find((block) => block.type === "text")?.text ?? "";
      return { answer: text, messages };
    }
    history.push(...answerCalls(workspace, message));
  }
}

test("the official SDK runs a whole tool loop against the server", async () => {
  const { answer, messages } = await run(NEEDLE_QUESTION);
  expect(answer).toContain(NEEDLE_QUOTE);
  expect(messages.map((message) => message.stop_reason)).toEqual([
    "tool_use",
    "tool_use",
    "tool_use",
    "end_turn",
  ]);
  const ids = messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])),
  );
  expect(new Set(ids).size).toBe(3);
  expect(ids.every((id) => /^toolu_01\w{22}$/.test(id))).toBe(true);
});

test("the stream and the single document give the same message", async () => {
  const client = createClient(model.url);
  const params = {
    model: "scripted",
    max_tokens: 1000,
    tools: sdkTools,
    messages: [{ role: "user" as const, content: 'Where is "naïve | 日本 \\ 😀"?' }],
  };
  const streamed = await client.messages.stream(params).finalMessage();
  const whole = await client.messages.create(params);
  expect(streamed.content.map(withoutId)).toEqual(whole.content.map(withoutId));
  expect(streamed.stop_reason).toBe(whole.stop_reason);
  expect(whole.content).toContainEqual(
    expect.objectContaining({ name: "grep", input: { pattern: "naïve | 日本 \\ 😀" } }),
  );
});

function withoutId(block: Anthropic.ContentBlock): unknown {
  return block.type === "tool_use" ? { ...block, id: "" } : block;
}

test("thinking goes before the calls and is accepted when it comes back unchanged", async () => {
  const { messages } = await run(NEEDLE_QUESTION, {
    thinking: { type: "enabled", budget_tokens: 1024 },
  });
  expect(messages).toHaveLength(4);
  for (const message of messages) {
    expect(message.content[0]).toMatchObject({
      type: "thinking",
      signature: expect.stringMatching(/.{80}/),
    });
    expect(message.usage.output_tokens_details?.thinking_tokens).toBeGreaterThan(0);
  }
});

test("omitted thinking has a signature and no text", async () => {
  const { messages } = await run("Hello!", { thinking: { type: "adaptive", display: "omitted" } });
  expect(messages[0]?.content[0]).toMatchObject({ type: "thinking", thinking: "" });
});

test("the SDK tries again after a 429, and gets the answer", async () => {
  const limited = await startScriptedModel({ rateLimitOnceSeconds: 0 });
  const client = createClient(limited.url, 1);
  const messages = [{ role: "user" as const, content: "Hello!" }];
  const message = await client.messages.create({ model: "scripted", max_tokens: 500, messages });
  expect(message.stop_reason).toBe("end_turn");
  expect(limited.requests.map((request) => request.status)).toEqual([429, 200]);
  await limited.close();
});

test("the SDK reports a refused key as such", async () => {
  const client = createClient(model.url).withOptions({ apiKey: "bad-key" });
  const messages = [{ role: "user" as const, content: "Hello!" }];
  const refused = client.messages.create({ model: "scripted", max_tokens: 500, messages });
  await expect(refused).rejects.toMatchObject({
    status: 401,
    error: { error: { type: "authentication_error" } },
  });
});
