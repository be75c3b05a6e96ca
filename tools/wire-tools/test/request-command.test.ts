import {
  call,
  hasSharedData,
  type Json,
  type RequestProfile,
  requestJudge,
  result,
  said,
  skippedWhen,
  tool,
  user,
} from "@llm-worker/wire-testing";
import { describe, expect, test } from "vitest";
import { requestCommand } from "../src/request-command.js";
import { run } from "./support.js";

const conversation = {
  model: "some-model",
  systemPrompt: "Be brief.",
  tools: [tool],
  items: [
    user("Add."),
    call("call_1", '{ "a": 12345678901234567890 }'),
    result("call_1"),
    said("So."),
    user("Thanks."),
  ],
  generation: { maxOutputTokens: 100 },
};

describe.each<[RequestProfile, string]>([
  ["anthropic", "/v1/messages"],
  ["openai-chat", "/chat/completions"],
  ["openai-responses", "/responses"],
  ["gemini", "/v1beta/models/some-model:streamGenerateContent?alt=sse"],
  ["ollama", "/api/chat"],
])("the request for %s", (wire, path) => {
  const stdin = JSON.stringify(conversation);

  test("has path, headers and body, the arguments as the model wrote them", async () => {
    const { exitCode, printed } = await run(requestCommand, [wire], { stdin });
    expect(exitCode).toBe(0);
    const request = JSON.parse(printed) as Json;
    expect(request["path"]).toContain(path);
    expect(Object.keys(request)).toEqual(["path", "headers", "body"]);
    expect(printed).toContain("12345678901234567890");
  });

  test.skipIf(!hasSharedData)(`finds no fault with its judge${skippedWhen}`, async () => {
    const { printed } = await run(requestCommand, [wire, "--body"], { stdin });
    const judge = await requestJudge(wire);
    expect(judge(JSON.parse(printed), { model: "some-model" }).errors).toEqual([]);
  });
});

test("a list of items is enough", async () => {
  const stdin = JSON.stringify([user("Hello")]);
  const { printed } = await run(requestCommand, ["ollama", "--body"], { stdin });
  expect(JSON.parse(printed)).toMatchObject({
    model: "test-model",
    messages: [{ role: "user", content: "Hello" }],
  });
});

test("options are the scheme's", async () => {
  const stdin = JSON.stringify({ items: [user("x")], options: { think: true } });
  const { printed } = await run(requestCommand, ["ollama", "--body"], { stdin });
  expect(JSON.parse(printed)).toMatchObject({ think: true });
});

test("what cannot be said on the wire is no matter of usage", async () => {
  const generation = { toolChoice: "required" };
  const stdin = JSON.stringify({ ...conversation, generation });
  const { exitCode, complained } = await run(requestCommand, ["ollama"], { stdin });
  expect(exitCode).toBe(1);
  expect(complained).toBe(
    'wire-request: Ollama cannot force a tool call; use toolChoice "auto" and say so in the prompt',
  );
});

describe("wrong input", () => {
  test.each<[readonly string[], unknown, string]>([
    [[], [], "WIRE is missing"],
    [["ollama", "a.json"], [], "the conversation is read from standard input"],
    [["ollama"], undefined, "standard input is not JSON"],
    [["ollama"], "x", "the conversation has to be an object"],
    [["ollama"], {}, "items is missing"],
    [["ollama"], [3], "items[0] has to be an object"],
    [["ollama"], [user("x"), { type: "tool_use" }], 'items[1].type is "tool_use": one of message'],
    [
      ["ollama"],
      [{ type: "message", role: "user", content: "x" }],
      "items[0].content has to be a list",
    ],
    [
      ["ollama"],
      [{ type: "tool_call", callId: "1", name: "x", arguments: {} }],
      "items[0].arguments",
    ],
    [["ollama"], { items: [], tools: [{ name: "x" }] }, "tools[0].description"],
    [["ollama"], { items: [], messages: [] }, 'there is no field "messages"'],
    [["ollama"], { items: [], model: 3 }, "model is no string"],
  ])("%j with %j says what is wrong", async (args, input, problem) => {
    const stdin = input === undefined ? "{" : JSON.stringify(input);
    const { exitCode, printed, complained } = await run(requestCommand, args, { stdin });
    expect({ exitCode, printed }).toEqual({ exitCode: 2, printed: "" });
    expect(complained).toContain(problem);
  });
});

test("--help documents the input", async () => {
  expect(await run(requestCommand, ["--help"])).toMatchObject({
    exitCode: 0,
    printed: expect.stringContaining('"type": "tool_call"'),
  });
});
