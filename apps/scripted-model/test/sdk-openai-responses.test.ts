import OpenAI from "openai";
import type {
  FunctionTool,
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseInputItem,
} from "openai/resources/responses/responses";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ScriptedModel, startScriptedModel } from "../src/server.js";
import { NEEDLE_QUESTION, NEEDLE_QUOTE, needleFiles } from "./support/needle.js";
import { createWorkspace, demoTools, inputOf } from "./support/workspace.js";

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel();
});
afterAll(() => model.close());

const tools: FunctionTool[] = demoTools.map(({ name, description, inputSchema }) => ({
  type: "function",
  name,
  description,
  parameters: inputSchema as Record<string, unknown>,
  strict: false,
}));

function createClient(url = model.url, maxRetries = 0): OpenAI {
  return new OpenAI({ apiKey: "k", baseURL: `${url}/v1`, maxRetries });
}

async function run(settings: Partial<ResponseCreateParamsNonStreaming> = {}): Promise<Response[]> {
  const client = createClient();
  const workspace = createWorkspace(needleFiles);
  const input: ResponseInputItem[] = [{ role: "user", content: NEEDLE_QUESTION }];
  const responses: Response[] = [];
  for (;;) {
    const params = { model: "scripted", tools, input, ...settings };
    const response = await client.responses.stream({ ...params, stream: true }).finalResponse();
    responses.push(response);
    const calls = response.output.filter((item) => item.type === "function_call");
    if (calls.length === 0) return responses;
    input.push(...withoutHelpers(response.output));
    for (const { call_id: callId, name, arguments: json } of calls) {
      const { text } = workspace.run({ name, input: inputOf(json) });
      input.push({ type: "function_call_output", call_id: callId, output: text });
    }
  }
}

/** The items as the server sent them: the SDK adds what it has parsed. */
function withoutHelpers(output: Response["output"]): ResponseInputItem[] {
  return JSON.parse(JSON.stringify(output), (key, value: unknown) =>
    key.startsWith("parsed") ? undefined : value,
  );
}

test("the official SDK runs a whole tool loop against the server", async () => {
  const responses = await run();
  expect(responses.map(({ output }) => output.map((item) => item.type))).toEqual([
    ["message", "function_call"],
    ["function_call"],
    ["function_call"],
    ["message"],
  ]);
  expect(responses.every(({ status }) => status === "completed")).toBe(true);
  expect(responses.at(-1)?.output_text).toContain(NEEDLE_QUOTE);
});

test("sealed reasoning goes before the calls and is accepted when it comes back", async () => {
  const responses = await run({
    store: false,
    include: ["reasoning.encrypted_content"],
    reasoning: { effort: "low", summary: "auto" },
  });
  expect(responses).toHaveLength(4);
  for (const { output, usage } of responses) {
    expect(output[0]).toMatchObject({
      type: "reasoning",
      id: expect.stringMatching(/^rs_[0-9a-f]{48}$/),
      encrypted_content: expect.stringMatching(/^gAAAAA/),
      summary: [{ type: "summary_text", text: expect.stringContaining(" ") }],
    });
    expect(usage?.output_tokens_details.reasoning_tokens).toBeGreaterThan(0);
  }
});

test("reasoning without a summary is an item without text", async () => {
  const [first] = await run({ reasoning: { effort: "low" } });
  expect(first?.output[0]).toMatchObject({ type: "reasoning", summary: [] });
});

test("the stream and the single document give the same message", async () => {
  const params = { model: "scripted", tools, input: 'Where is "naïve | 日本 \\ 😀"?' };
  const streamed = await createClient().responses.stream(params).finalResponse();
  const whole = await createClient().responses.create(params);
  for (const { output } of [streamed, whole]) {
    const [json = ""] = output.flatMap((item) =>
      item.type === "function_call" ? [item.arguments] : [],
    );
    expect(JSON.parse(json)).toEqual({ pattern: "naïve | 日本 \\ 😀" });
  }
  expect(streamed.output_text).toBe(whole.output_text);
});

test("the SDK waits as told and tries again after a 429", async () => {
  const limited = await startScriptedModel({ rateLimitOnceSeconds: 0 });
  const client = createClient(limited.url, 1);
  const response = await client.responses.create({ model: "scripted", input: "Hello!" });
  expect(response.status).toBe("completed");
  expect(limited.requests.map((request) => request.status)).toEqual([429, 200]);
  await limited.close();
});

test("the SDK reports a refused key as such", async () => {
  const client = createClient().withOptions({ apiKey: "bad-key" });
  const refused = client.responses.create({ model: "scripted", input: "Hello!" });
  await expect(refused).rejects.toMatchObject({ status: 401, code: "invalid_api_key" });
});
