import {
  type Content,
  FunctionCallingConfigMode,
  type GenerationConfig,
  ThinkingLevel,
  type Tool,
  type ToolConfig,
} from "@google/genai";
import { result, tool, user } from "@llm-worker/wire-testing";
import { expect, test } from "vitest";
import { bodyOf, opaque, ownCall, signedText, thought } from "./history.js";

/** A request body in the types of the official SDK, which has none for the whole of it. */
interface SdkBody {
  readonly systemInstruction: Content;
  readonly contents: readonly Content[];
  readonly tools: readonly Tool[];
  readonly toolConfig: ToolConfig;
  readonly generationConfig: GenerationConfig;
}

test("a request is what the official SDK's types say", () => {
  const image = { type: "base64", mediaType: "image/png", data: "AAAA" } as const;
  const request = {
    systemPrompt: "Be brief.",
    tools: [tool],
    items: [
      user("a"),
      { type: "message", role: "user", content: [{ type: "image", source: image }] },
      thought({ thoughtSignature: "YQ==" }),
      opaque({ executableCode: { code: "1" } }),
      signedText("b", "Yg=="),
      ownCall("1", { id: "1", thoughtSignature: "Yw==" }),
      { ...result("1"), parts: [{ type: "image", source: image }] },
    ],
    generation: {
      maxOutputTokens: 10,
      temperature: 1,
      topP: 0.5,
      stopSequences: ["x"],
      toolChoice: { name: "add" },
      outputSchema: { type: "object" },
    },
  } as const;
  const thinking = { level: "low", includeThoughts: true } as const;
  const inlineData = { mimeType: "image/png", data: "AAAA" };
  expect(bodyOf(request as never, { thinking })).toEqual({
    systemInstruction: { parts: [{ text: "Be brief." }] },
    tools: [
      {
        functionDeclarations: [
          { name: "add", description: "Adds.", parametersJsonSchema: tool.inputSchema },
        ],
      },
    ],
    contents: [
      { role: "user", parts: [{ text: "a" }, { inlineData }] },
      {
        role: "model",
        parts: [
          { text: " hm\n", thought: true, thoughtSignature: "YQ==" },
          { executableCode: { code: "1" } },
          { text: "b", thoughtSignature: "Yg==" },
          { functionCall: { id: "1", name: "add", args: {} }, thoughtSignature: "Yw==" },
        ],
      },
      {
        role: "user",
        parts: [
          {
            functionResponse: {
              id: "1",
              name: "add",
              response: { output: "ok" },
              parts: [{ inlineData }],
            },
          },
        ],
      },
    ],
    toolConfig: {
      functionCallingConfig: {
        mode: FunctionCallingConfigMode.ANY,
        allowedFunctionNames: ["add"],
      },
    },
    generationConfig: {
      maxOutputTokens: 10,
      temperature: 1,
      topP: 0.5,
      stopSequences: ["x"],
      responseMimeType: "application/json",
      responseJsonSchema: { type: "object" },
      thinkingConfig: { includeThoughts: true, thinkingLevel: ThinkingLevel.LOW },
    },
  } satisfies SdkBody);
});
