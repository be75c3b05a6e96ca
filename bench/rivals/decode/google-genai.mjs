import { GoogleGenAI } from "@google/genai";

/** @import { CreateClient } from "../decode.mjs" */

/** Iterates over the chunks, as the SDK joins nothing. @type {CreateClient} */
export function create({ url }) {
  const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: url } });
  return async () => {
    const stream = await client.models.generateContentStream({
      model: "gemini-3-pro-preview",
      contents: "Write the files.",
    });
    const thinking = [];
    const text = [];
    const calls = [];
    for await (const chunk of stream) {
      for (const part of chunk.candidates?.[0]?.content?.parts ?? []) {
        if (part.functionCall) {
          calls.push({ name: part.functionCall.name ?? "", input: part.functionCall.args });
        } else if (part.text) (part.thought ? thinking : text).push(part.text);
      }
    }
    return { thinking: thinking.join(""), text: text.join(""), calls };
  };
}
