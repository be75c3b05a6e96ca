import {
  type Content,
  type FunctionDeclaration,
  type GenerateContentConfig,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
} from "@google/genai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ScriptedModel, startScriptedModel } from "../src/server.js";
import { NEEDLE_QUESTION, NEEDLE_QUOTE, needleFiles } from "./support/needle.js";
import { createWorkspace, demoTools } from "./support/workspace.js";

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel();
});
afterAll(() => model.close());

const functionDeclarations: FunctionDeclaration[] = demoTools.map(
  ({ name, description, inputSchema }) => ({
    name,
    description,
    parametersJsonSchema: inputSchema,
  }),
);

function createClient(apiKey = "k"): GoogleGenAI {
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl: model.url } });
}

/** A turn of the model, from the chunks of its stream. */
interface Turn {
  readonly parts: readonly Part[];
  readonly last: GenerateContentResponse | undefined;
}

async function ask(contents: Content[], config: GenerateContentConfig): Promise<Turn> {
  const stream = await createClient().models.generateContentStream({
    model: "scripted",
    contents,
    config: { tools: [{ functionDeclarations }], ...config },
  });
  const parts: Part[] = [];
  let last: GenerateContentResponse | undefined;
  for await (const chunk of stream) {
    last = chunk;
    parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
  }
  return { parts, last };
}

async function run(config: GenerateContentConfig = {}): Promise<Turn[]> {
  const workspace = createWorkspace(needleFiles);
  const contents: Content[] = [{ role: "user", parts: [{ text: NEEDLE_QUESTION }] }];
  const turns: Turn[] = [];
  for (;;) {
    const turn = await ask(contents, config);
    turns.push(turn);
    const calls = turn.parts.flatMap((part) => part.functionCall ?? []);
    if (calls.length === 0) return turns;
    const responses = calls.map(({ id = "", name = "", args = {} }): Part => {
      const { text, isError } = workspace.run({ name, input: args });
      const response = isError ? { error: text } : { output: text };
      return { functionResponse: { id, name, response } };
    });
    contents.push({ role: "model", parts: [...turn.parts] }, { role: "user", parts: responses });
  }
}

function textOf({ parts }: Turn): string {
  return parts.map((part) => (part.thought === true ? "" : (part.text ?? ""))).join("");
}

test("the official SDK runs a whole tool loop against the server", async () => {
  const turns = await run();
  expect(turns).toHaveLength(4);
  expect(turns.every(({ last }) => last?.candidates?.[0]?.finishReason === "STOP")).toBe(true);
  expect(textOf(turns.at(-1) ?? { parts: [], last: undefined })).toContain(NEEDLE_QUOTE);
});

test("the first call of a turn is signed, and so is the end of a text", async () => {
  const turns = await run();
  for (const { parts } of turns.slice(0, -1)) {
    const call = parts.find((part) => part.functionCall !== undefined);
    expect(call?.thoughtSignature).toMatch(/.{80}/);
    expect(call?.functionCall?.id).toMatch(/^\w{8}$/);
  }
  expect(turns.at(-1)?.parts.at(-1)).toMatchObject({
    text: "",
    thoughtSignature: expect.stringMatching(/.{80}/),
  });
});

test("thoughts are shown when they are asked for, and may come back", async () => {
  const turns = await run({ thinkingConfig: { includeThoughts: true } });
  expect(turns).toHaveLength(4);
  for (const { parts, last } of turns) {
    expect(parts[0]).toMatchObject({ thought: true, text: expect.stringMatching(/./) });
    expect(last?.usageMetadata?.thoughtsTokenCount).toBeGreaterThan(0);
  }
});

test("the stream and the single document give the same message", async () => {
  const contents = [{ role: "user", parts: [{ text: 'Where is "naïve | 日本 \\ 😀"?' }] }];
  const streamed = await ask(contents, {});
  const whole = await createClient().models.generateContent({
    model: "scripted",
    contents,
    config: { tools: [{ functionDeclarations }] },
  });
  const parts = whole.candidates?.[0]?.content?.parts ?? [];
  for (const given of [streamed.parts, parts]) {
    const call = given.find((part) => part.functionCall !== undefined);
    expect(call?.functionCall?.args).toEqual({ pattern: "naïve | 日本 \\ 😀" });
  }
  expect(textOf(streamed)).toBe(textOf({ parts, last: whole }));
  expect(streamed.last?.usageMetadata?.candidatesTokenCount).toBe(
    whole.usageMetadata?.candidatesTokenCount,
  );
});

test("the SDK reports a refused key as such", async () => {
  const refused = createClient("bad-key").models.generateContent({
    model: "scripted",
    contents: "Hello!",
  });
  await expect(refused).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining("API_KEY_INVALID"),
  });
});
