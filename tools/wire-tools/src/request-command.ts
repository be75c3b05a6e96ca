import { parseArgs } from "node:util";
import { type CommandIo, processIo, runCommand, UsageError } from "./command.js";
import { parseConversation } from "./conversation.js";
import { createScheme, toWire } from "./wires.js";

const HELP = `usage: node tools/wire-request.mjs WIRE [--body] < conversation.json

Prints the request that a conversation is sent as: {"path", "headers", "body"} in one line of JSON,
the body in the very bytes that go on the wire. Keys and addresses are the provider's matter and
not part of it.

  WIRE    anthropic, openai-chat, openai-responses, gemini or ollama
  --body  prints the body alone

Standard input is a list of Items, or an object with

  items            the history, a list of Items (needed)
  model            name of the model; default "test-model"
  systemPrompt     text
  tools            [{"name", "description", "inputSchema"}]; inputSchema is a JSON Schema
  generation       {"maxOutputTokens", "temperature", "topP", "stopSequences", "toolChoice",
                   "parallelToolCalls", "outputSchema"}, each only if wanted
  lockedItemCount  how many items at the beginning are the locked prefix
  options          what the scheme of this wire takes beside the model, such as {"think": true} for
                   ollama or {"thinking": {"type": "adaptive"}} for anthropic

Items, each with a "type":

  {"type": "message", "role": "user" or "assistant", "content": [PART...]}
  {"type": "tool_call", "callId", "name", "arguments"}      arguments is the raw JSON text
  {"type": "tool_result", "callId", "summary", "content"?, "parts"?, "isError"?}
  {"type": "reasoning", "text", "providerData"?}
  {"type": "opaque", "providerData"}

  PART          {"type": "text", "text"}, {"type": "image", "source"} or
                {"type": "file", "source", "name"?}
  source        {"type": "base64", "mediaType", "data"} or {"type": "url", "url", "mediaType"?}
  providerData  {"scheme", "model", "data"}: what a provider wants back unchanged; message and
                tool_call may have it too

Exit code: 0 printed; 1 the conversation cannot be said on this wire; 2 wrong usage or input.
It needs a build: npm run build`;

/** The command `tools/wire-request.mjs`. Resolves to its exit code. */
export function requestCommand(
  args: readonly string[],
  io: CommandIo = processIo,
): Promise<number> {
  return runCommand("wire-request", HELP, io, async () => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { body: { type: "boolean" }, help: { type: "boolean", short: "h" } },
    });
    if (values.help === true) {
      io.print(HELP);
      return;
    }
    const [wireName, ...more] = positionals;
    const wire = toWire(wireName);
    if (more.length > 0) {
      throw new UsageError(`the conversation is read from standard input, not ${more.join(", ")}`);
    }
    const { options, request } = parseConversation(await io.readInput());
    const { path, headers, body } = createScheme(wire, options).buildRequest(request);
    // The body is put in as it is: parsing it would round numbers and move keys.
    const head = `"path":${JSON.stringify(path)},"headers":${JSON.stringify(headers)}`;
    io.print(values.body === true ? String(body) : `{${head},"body":${String(body)}}`);
  });
}
