import { type ChatRequest, type ChatResponse, type Message, Ollama, type Tool } from "ollama";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ScriptedModel, startScriptedModel } from "../src/server.js";
import { NEEDLE_QUESTION, NEEDLE_QUOTE, needleFiles } from "./support/needle.js";
import { createWorkspace, demoTools } from "./support/workspace.js";

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel();
});
afterAll(() => model.close());

const tools: Tool[] = demoTools.map(({ name, description, inputSchema }) => ({
  type: "function",
  function: { name, description, parameters: inputSchema as object },
}));

interface Turn {
  readonly message: Message;
  readonly last: ChatResponse | undefined;
}

async function ask(messages: Message[], settings: Partial<ChatRequest> = {}): Promise<Turn> {
  const client = new Ollama({ host: model.url });
  const params = { model: "scripted", tools, messages, ...settings };
  const message = { role: "assistant", content: "", thinking: "" };
  const calls: NonNullable<Message["tool_calls"]> = [];
  let last: ChatResponse | undefined;
  for await (const line of await client.chat({ ...params, stream: true })) {
    message.content += line.message.content;
    message.thinking += line.message.thinking ?? "";
    calls.push(...(line.message.tool_calls ?? []));
    last = line;
  }
  return { message: { ...message, ...(calls.length > 0 ? { tool_calls: calls } : {}) }, last };
}

async function run(settings: Partial<ChatRequest> = {}): Promise<Turn[]> {
  const workspace = createWorkspace(needleFiles);
  const messages: Message[] = [{ role: "user", content: NEEDLE_QUESTION }];
  const turns: Turn[] = [];
  for (;;) {
    const turn = await ask(messages, settings);
    turns.push(turn);
    const calls = turn.message.tool_calls ?? [];
    if (calls.length === 0) return turns;
    messages.push(turn.message);
    for (const { function: call } of calls) {
      const { text } = workspace.run({ name: call.name, input: call.arguments });
      messages.push({ role: "tool", tool_name: call.name, content: text });
    }
  }
}

test("the official client runs a whole tool loop against the server", async () => {
  const turns = await run();
  expect(turns).toHaveLength(4);
  expect(turns.every(({ last }) => last?.done === true && last.done_reason === "stop")).toBe(true);
  expect(turns.at(-1)?.message.content).toContain(NEEDLE_QUOTE);
  expect(turns.at(-1)?.last?.prompt_eval_count).toBeGreaterThan(100);
});

test("thinking is sent when it is asked for, and may come back", async () => {
  const turns = await run({ think: true });
  expect(turns).toHaveLength(4);
  expect(turns.every(({ message }) => message.thinking !== "")).toBe(true);
});

test("the stream and the single document give the same message", async () => {
  const messages = [{ role: "user", content: 'Where is "naïve | 日本 \\ 😀"?' }];
  const streamed = await ask(messages);
  const whole = await new Ollama({ host: model.url }).chat({ model: "scripted", tools, messages });
  for (const message of [streamed.message, whole.message]) {
    expect(message.tool_calls?.[0]?.function).toMatchObject({
      name: "grep",
      arguments: { pattern: "naïve | 日本 \\ 😀" },
    });
  }
  expect(streamed.message.content).toBe(whole.message.content);
  expect(streamed.last?.eval_count).toBe(whole.eval_count);
});

test("the client reports an error in the words of the server", async () => {
  const refused = ask([{ role: "owner", content: "Hello!" }]);
  await expect(refused).rejects.toMatchObject({
    status_code: 400,
    error: 'invalid messages.role: "owner"',
  });
});
