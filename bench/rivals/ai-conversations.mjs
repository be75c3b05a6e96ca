// A child process of the soak: the same conversations by `streamText` of the AI SDK, with its own tool loop.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { jsonSchema, stepCountIs, streamText, tool } from "ai";
import { serveCalls } from "../dist/harness/child.js";
import { converseAll } from "../dist/soak/converse-all.js";
import { readFile } from "../dist/soak/files.js";

const MAX_STEPS = 40;

/**
 * The same wires as in `conversations-child`.
 *
 * @param {string} url of the scripted model
 */
function createModels(url) {
  const apiKey = "none is looked at";
  const openai = createOpenAI({ apiKey, baseURL: `${url}/v1` });
  return [
    createAnthropic({ apiKey, baseURL: `${url}/v1` })("claude-sonnet-4-6"),
    openai("gpt-5.4"),
    openai.chat("gpt-5.4"),
  ];
}

const readFileTool = tool({
  description: "Reads a file.",
  inputSchema: jsonSchema({
    type: "object",
    properties: { path: { type: "string", description: "Its path." } },
    required: ["path"],
  }),
  async execute({ path }, { abortSignal }) {
    const output = await readFile(path, abortSignal);
    if (typeof output === "string") return output;
    let text = "";
    for await (const piece of output) text += piece;
    return text;
  },
});

serveCalls({
  /** @param {import("../dist/soak/converse-all.js").ConversationsRequest} request */
  converse(request) {
    const models = createModels(request.url);
    return converseAll(request, (number) => {
      const model = models[number % models.length];
      const messages = [];
      return async (question) => {
        messages.push({ role: "user", content: question });
        const result = streamText({
          model,
          messages,
          system: "You answer questions about files.",
          tools: { read_file: readFileTool },
          stopWhen: stepCountIs(MAX_STEPS),
          onError: ({ error }) => {
            throw error;
          },
        });
        for await (const _part of result.fullStream);
        messages.push(...(await result.response).messages);
        return await result.text;
      };
    });
  },
});
