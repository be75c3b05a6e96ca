import { serveCalls } from "../dist/harness/child.js";
import { measureUsage, rest } from "../dist/harness/usage.js";
import { hashAnswer } from "../dist/decode/message.js";

/**
 * @import { ReadRequest, Reading } from "../dist/decode/client-child.js"
 * @import { Answer } from "../dist/decode/message.js"
 */

/**
 * Makes a client of one rival, which is called for each answer.
 *
 * @typedef {(request: ReadRequest) => () => Promise<Answer>} CreateClient
 */

/** Only the one that is asked for is loaded. @type {Readonly<Record<string, () => Promise<CreateClient>>>} */
const clients = {
  "@anthropic-ai/sdk": async () => (await import("./decode/anthropic-sdk.mjs")).createRaw,
  "@anthropic-ai/sdk stream()": async () =>
    (await import("./decode/anthropic-sdk.mjs")).createStream,
  openai: async () => (await import("./decode/openai.mjs")).createRaw,
  "openai stream()": async () => (await import("./decode/openai.mjs")).createStream,
  "@google/genai": async () => (await import("./decode/google-genai.mjs")).create,
  ollama: async () => (await import("./decode/ollama.mjs")).create,
  "@mariozechner/pi-ai": async () => (await import("./decode/pi-ai.mjs")).create,
  "@tanstack/ai": async () => (await import("./decode/tanstack-ai.mjs")).create,
  "@langchain/core": async () => (await import("./decode/langchain.mjs")).create,
  ai: async () => (await import("./decode/ai.mjs")).create,
};

/** @type {Map<string, () => Promise<Answer>>} */
const ready = new Map();

/** @param {ReadRequest & { client: string }} request */
async function clientOf(request) {
  const key = `${request.client} ${request.url}`;
  const known = ready.get(key);
  if (known !== undefined) return known;
  const load = clients[request.client];
  if (load === undefined) throw new Error(`there is no client ${request.client}`);
  const client = (await load())(request);
  ready.set(key, client);
  return client;
}

serveCalls({
  /** @param {ReadRequest & { client: string }} request @returns {Promise<Reading>} */
  async read(request) {
    const read = await clientOf(request);
    const { result: answer, usage } = await measureUsage(read);
    return { usage, hash: hashAnswer(answer) };
  },
  rest,
});
