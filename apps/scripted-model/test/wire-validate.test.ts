import { existsSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isObject } from "../src/json.js";
import { type ScriptedModel, startScriptedModel } from "../src/server.js";
import { parseEvents, post, requestBody, sdkTools } from "./support/messages.js";

const shared =
  process.env["LLM_WORKER_SHARED"] ?? fileURLToPath(new URL("../../../../shared", import.meta.url));
const validatorPath = join(shared, "wire-schemas", "wire-validate.mjs");

interface Verdict {
  readonly valid: boolean;
  readonly errors: readonly unknown[];
}

interface Options {
  readonly strict: boolean;
}

/** The part of wire-validate that is used here. */
interface Validator {
  readonly validateStream: (provider: string, events: unknown[], options: Options) => Verdict;
  readonly validateResponse: (provider: string, body: unknown, options: Options) => Verdict;
}

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel();
});
afterAll(() => model.close());

const answered = [
  { role: "user", content: 'Where is "x"?' },
  {
    role: "assistant",
    content: [{ type: "tool_use", id: "t", name: "grep", input: { pattern: "x" } }],
  },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "a.ts:1: 日本 x" }] },
];

const requests: readonly (readonly [name: string, fields: Readonly<Record<string, unknown>>])[] = [
  ["text and a call", {}],
  ["an answer", { messages: answered }],
  ["thinking", { thinking: { type: "adaptive" } }],
  ["omitted thinking", { thinking: { type: "adaptive", display: "omitted" } }],
  ["a cut answer", { max_tokens: 3 }],
  [
    "a cached prompt",
    { system: "rule ".repeat(1000), cache_control: { type: "ephemeral", ttl: "1h" } },
  ],
  [
    "two calls",
    { messages: [{ role: "user", content: "Compare a.txt and b.txt" }], tools: sdkTools },
  ],
];

test.skipIf(!existsSync(validatorPath)).each(requests)(
  "%s is what a current official server sends (needs the shared wire-validate)",
  async (_, fields) => {
    const module: unknown = await import(/* @vite-ignore */ pathToFileURL(validatorPath).href);
    expect(isObject(module)).toBe(true);
    // The file has no types; its functions are those above.
    const { validateStream, validateResponse } = module as Validator;
    const stream = await post(model.url, requestBody({ ...fields, stream: true }));
    const events = parseEvents(await stream.text());
    expect(validateStream("anthropic", events, { strict: true }).errors).toEqual([]);
    const document: unknown = await (await post(model.url, requestBody(fields))).json();
    expect(validateResponse("anthropic", document, { strict: true }).errors).toEqual([]);
  },
);
