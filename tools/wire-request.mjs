#!/usr/bin/env node
// Prints the request that a conversation in Items is sent as:
//
//   node tools/wire-request.mjs WIRE [--body] < conversation.json
//
// conversation.json is a list of Items, or an object with
//
//   items            the history, a list of Items (needed):
//                      { type: "message", role: "user" | "assistant", content: [PART...] }
//                      { type: "tool_call", callId, name, arguments }   arguments: raw JSON text
//                      { type: "tool_result", callId, summary, content?, parts?, isError? }
//                      { type: "reasoning", text, providerData? }
//                      { type: "opaque", providerData }
//                    PART is { type: "text", text }, { type: "image", source } or
//                    { type: "file", source, name? }; source is { type: "base64", mediaType, data }
//                    or { type: "url", url, mediaType? }; providerData is { scheme, model, data }
//   model            name of the model; default "test-model"
//   systemPrompt     text
//   tools            [{ name, description, inputSchema }]
//   generation       { maxOutputTokens?, temperature?, topP?, stopSequences?, toolChoice?,
//                      parallelToolCalls?, outputSchema? }
//   lockedItemCount  how many items at the beginning are the locked prefix
//   options          what the scheme of this wire takes beside the model
//
// --help says the same. The code is in tools/wire-tools, which is TypeScript and has to be built.
import { existsSync } from "node:fs";

const command = new URL("wire-tools/dist/request-command.js", import.meta.url);
if (existsSync(command)) {
  const { requestCommand } = await import(command.href);
  process.exitCode = await requestCommand(process.argv.slice(2));
} else {
  process.stderr.write("wire-request: not built yet; run: npm run build\n");
  process.exitCode = 1;
}
