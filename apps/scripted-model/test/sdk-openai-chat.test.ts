import OpenAI from "openai";
import type {
  ChatCompletion,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from "openai/resources/chat/completions";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ScriptedModel, startScriptedModel } from "../src/server.js";
import { NEEDLE_QUESTION, NEEDLE_QUOTE, needleFiles } from "./support/needle.js";
import { createWorkspace, demoTools, inputOf } from "./support/workspace.js";

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel();
});
afterAll(() => model.close());

const tools: ChatCompletionTool[] = demoTools.map(({ name, description, inputSchema }) => ({
  type: "function",
  function: { name, description, parameters: inputSchema as Record<string, unknown> },
}));

function createClient(url = model.url, maxRetries = 0): OpenAI {
  return new OpenAI({ apiKey: "k", baseURL: `${url}/v1`, maxRetries });
}

async function run(
  settings: Partial<ChatCompletionCreateParamsNonStreaming> = {},
): Promise<ChatCompletion[]> {
  const client = createClient();
  const workspace = createWorkspace(needleFiles);
  const messages: ChatCompletionMessageParam[] = [{ role: "user", content: NEEDLE_QUESTION }];
  const completions: ChatCompletion[] = [];
  for (;;) {
    const params = { model: "scripted", tools, messages, ...settings };
    const stream = client.chat.completions.stream({
      ...params,
      stream: true,
      stream_options: { include_usage: true },
    });
    const completion = await stream.finalChatCompletion();
    completions.push(completion);
    const message = completion.choices[0]?.message;
    if (!message?.tool_calls) return completions;
    messages.push(
      { role: "assistant", content: message.content, tool_calls: message.tool_calls },
      ...message.tool_calls.map((call): ChatCompletionMessageParam => {
        const { name, arguments: json } =
          call.type === "function" ? call.function : { name: "", arguments: "{}" };
        const { text, isError } = workspace.run({ name, input: inputOf(json) });
        const content = isError ? `Error: ${text}` : text;
        return { role: "tool", tool_call_id: call.id, content };
      }),
    );
  }
}

test("the official SDK runs a whole tool loop against the server", async () => {
  const completions = await run();
  expect(completions.map(({ choices }) => choices[0]?.finish_reason)).toEqual([
    "tool_calls",
    "tool_calls",
    "tool_calls",
    "stop",
  ]);
  expect(completions.at(-1)?.choices[0]?.message.content).toContain(NEEDLE_QUOTE);
  const ids = completions.flatMap(({ choices }) =>
    (choices[0]?.message.tool_calls ?? []).map((call) => call.id),
  );
  expect(new Set(ids).size).toBe(3);
  expect(ids.every((id) => /^call_\w{24}$/.test(id))).toBe(true);
});

test("reasoning is counted and not shown", async () => {
  const [first] = await run({ reasoning_effort: "low" });
  expect(first?.usage?.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(0);
  expect(first?.choices[0]?.message.content).toBeNull();
});

test("the stream and the single document give the same message", async () => {
  const params = {
    model: "scripted",
    tools,
    messages: [{ role: "user" as const, content: 'Where is "naïve | 日本 \\ 😀"?' }],
  };
  const streamed = await createClient().chat.completions.stream(params).finalChatCompletion();
  const whole = await createClient().chat.completions.create(params);
  for (const completion of [streamed, whole]) {
    const [call] = completion.choices[0]?.message.tool_calls ?? [];
    const json = call?.type === "function" ? call.function.arguments : "";
    expect(JSON.parse(json)).toEqual({ pattern: "naïve | 日本 \\ 😀" });
  }
  expect(streamed.choices[0]?.message.content).toBe(whole.choices[0]?.message.content);
  expect(streamed.choices[0]?.finish_reason).toBe(whole.choices[0]?.finish_reason);
});

test("the SDK waits as told and tries again after a 429", async () => {
  const limited = await startScriptedModel({ rateLimitOnceSeconds: 0 });
  const completion = await createClient(limited.url, 1).chat.completions.create({
    model: "scripted",
    messages: [{ role: "user", content: "Hello!" }],
  });
  expect(completion.choices[0]?.finish_reason).toBe("stop");
  expect(limited.requests.map((request) => request.status)).toEqual([429, 200]);
  await limited.close();
});

test("the SDK reports a refused key as such", async () => {
  const client = createClient().withOptions({ apiKey: "bad-key" });
  const refused = client.chat.completions.create({
    model: "scripted",
    messages: [{ role: "user", content: "Hello!" }],
  });
  await expect(refused).rejects.toMatchObject({ status: 401, code: "invalid_api_key" });
});
