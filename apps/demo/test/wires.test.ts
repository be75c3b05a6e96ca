import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { anthropic } from "@llm-worker/providers-anthropic";
import { gemini } from "@llm-worker/providers-gemini";
import { ollama } from "@llm-worker/providers-ollama";
import { openai } from "@llm-worker/providers-openai";
import type { Provider } from "llm-worker";
import { FsBlobStore } from "llm-worker-persistence";
import { type ScriptedModel, type ScriptedModelOptions, startScriptedModel } from "scripted-model";
import { describe, expect, onTestFinished, test } from "vitest";
import { createDemoWorker } from "../src/demo-worker.js";
import { confineToDirectory } from "../src/tools/confined.js";
import { demo, makeDirectory } from "./support/run.js";

const log = Array.from({ length: 20_000 }, (_, index) =>
  index === 12_345 ? "request q7 failed: «größe» 日本語 😀" : `request r${index} took 3 ms`,
).join("\n");
const QUOTE = "> request q7 failed: «größe» 日本語 😀";

async function makeLog(): Promise<string> {
  const directory = await makeDirectory();
  await writeFile(join(directory, "app.log"), log);
  return directory;
}

async function start(options?: ScriptedModelOptions): Promise<ScriptedModel> {
  const model = await startScriptedModel(options);
  onTestFinished(() => model.close());
  return model;
}

describe("--provider NAME", () => {
  const names = [
    ["anthropic", "ANTHROPIC_API_KEY", "", "/v1/messages"],
    ["openai", "OPENAI_API_KEY", "/v1", "/v1/responses"],
    ["openai-chat", "OPENAI_API_KEY", "/v1", "/v1/chat/completions"],
    ["gemini", "GEMINI_API_KEY", "", "/v1beta/models/MODEL:streamGenerateContent"],
    ["ollama", "OLLAMA_HOST", "", "/api/chat"],
  ] as const;

  test.each(names)(
    "%s without a key runs on the scripted model, and says so and how to get the real one",
    async (name, variable, _basePath, path) => {
      const model = await start();
      const run = await demo(["app.log", "What of q7?", "--provider", name], {
        currentDirectory: await makeLog(),
        startModel: () => Promise.resolve(model),
      });
      expect(run).toMatchObject({ exitCode: 0, errors: "" });
      expect(run.output.split("\n", 1)[0]).toBe(
        `model: scripted demo model on the ${name} wire, not a language model; set ${variable} for a real one`,
      );
      expect(run.output).toContain(QUOTE);
      expect(run.output).toMatch(/^→ inspect find:/mu);
      const paths = model.requests.map((request) => request.path);
      expect(new Set(paths)).toEqual(new Set([path.replace("MODEL", "scripted-model")]));
      expect(model.requests.every(({ status }) => status === 200)).toBe(true);
    },
  );

  test.each(names)(
    "%s with an address and a key asks the server there",
    async (name, variable, basePath) => {
      const model = await start();
      const argv = ["app.log", "What of q7?", "--provider", name, "--model", "mine", "--json"];
      const run = await demo([...argv, "--base-url", model.url + basePath], {
        currentDirectory: await makeLog(),
        env: { [variable]: "a-key" },
        startModel: () => Promise.reject(new Error("not asked for")),
      });
      expect(run).toMatchObject({ exitCode: 0, errors: "" });
      const report = JSON.parse(run.output);
      expect(report.model).toEqual({
        title: `mine (${name}, ${model.url}${basePath})`,
        isLanguageModel: true,
      });
      expect(report.questions[0].answer).toContain(QUOTE);
    },
  );

  test.each([
    "What of q7 in app.log?",
    "What does missing.txt say about q7?",
    'Which files mention "q7"?',
    "Compare app.log and missing.txt",
  ])("all of them lead to the same calls and the same answer: %s", async (question) => {
    const currentDirectory = await makeLog();
    const answers: unknown[] = [];
    for (const [name] of names) {
      const argv = ["--dir", ".", question, "--provider", name, "--json"];
      const { output, errors } = await demo(argv, { currentDirectory });
      expect(errors).toBe("");
      const [{ answer, outputs }] = JSON.parse(output).questions;
      const calls = outputs.map(({ toolName, isError }: Record<string, unknown>) => [
        toolName,
        isError,
      ]);
      answers.push({ answer: answer.replaceAll(/blob:[\w-]+/g, "blob"), calls });
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });

  test("scripted speaks the wire that is asked for", async () => {
    const model = await start();
    const run = await demo(["app.log", "What of q7?", "--wire", "ollama"], {
      currentDirectory: await makeLog(),
      env: { OLLAMA_HOST: "127.0.0.1:1" },
      startModel: () => Promise.resolve(model),
    });
    expect(run.output.split("\n", 1)[0]).toBe(
      "model: scripted demo model on the ollama wire, not a language model; use --provider ollama for a real one",
    );
    expect(model.requests[0]?.path).toBe("/api/chat");
  });
});

describe("a worker on each wire", () => {
  const apiKey = "k";
  const model = "scripted-model";
  /** With what a later request holds of the thinking of an earlier answer. */
  const thinking: readonly (readonly [string, RegExp, (url: string) => Provider])[] = [
    [
      "anthropic",
      /"signature":".{80}/,
      (baseUrl) =>
        anthropic({ model, apiKey, baseUrl, thinking: { type: "enabled", budgetTokens: 1024 } }),
    ],
    [
      "openai",
      /"encrypted_content":"gAAAAA/,
      (url) =>
        openai({ model, apiKey, baseUrl: `${url}/v1`, effort: "low", reasoningSummary: "auto" }),
    ],
    [
      "openai with kept responses",
      /"id":"rs_/,
      (url) => openai({ model, apiKey, baseUrl: `${url}/v1`, effort: "low", store: "on" }),
    ],
    [
      "openai-chat",
      /"tool_calls":/,
      (url) => openai({ model, apiKey, baseUrl: `${url}/v1`, api: "chat", effort: "low" }),
    ],
    [
      "gemini",
      /"thoughtSignature":".{80}/,
      (baseUrl) => gemini({ model, apiKey, baseUrl, thinking: { includeThoughts: true } }),
    ],
    ["ollama", /"thinking":"./, (baseUrl) => ollama({ model, baseUrl, think: true })],
  ];

  test.each(thinking)(
    "%s waits for a rate limit and gives back what the model has thought, in a second question too",
    async (_, returned, create) => {
      const server = await start({ rateLimitOnceSeconds: 0 });
      const directory = await makeLog();
      const worker = createDemoWorker({
        provider: create(server.url),
        store: new FsBlobStore(join(directory, "store")),
        confined: await confineToDirectory(directory),
      });
      const first = await worker.run("In app.log, what happened to q7?");
      expect(first).toMatchObject({ status: "finished", text: expect.stringContaining(QUOTE) });
      const second = await worker.run("And what of r100 in app.log?");
      expect(second).toMatchObject({ status: "finished", text: expect.stringContaining("r100") });
      expect(server.requests.at(-1)?.body).toMatch(returned);
      const statuses = server.requests.map(({ status }) => status);
      expect(statuses.filter((status) => status !== 200)).toEqual([429]);
    },
  );
});
