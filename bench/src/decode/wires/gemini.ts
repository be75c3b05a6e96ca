import type { Wire } from "./wire.js";

/** Gemini streamGenerateContent: calls come whole, each chunk repeats the counts so far. */
export const gemini: Wire = {
  name: "gemini",
  contentType: "text/event-stream",
  streamsArguments: false,
  frames({ thinking, text, calls }) {
    let count = 0;
    const chunk = (part: object, finish: object = {}): string => {
      count += 1;
      return `data: ${JSON.stringify({
        candidates: [{ content: { parts: [part], role: "model" }, ...finish, index: 0 }],
        usageMetadata: {
          promptTokenCount: 2095,
          candidatesTokenCount: count,
          totalTokenCount: 4095 + count,
          promptTokensDetails: [{ modality: "TEXT", tokenCount: 2095 }],
          thoughtsTokenCount: 2000,
        },
        modelVersion: "gemini-3-pro-preview",
        responseId: "x7kRaZ2uJ5y0vdIPgb2y6AQ",
      })}\r\n\r\n`;
    };
    return [
      ...thinking.map((piece) => chunk({ text: piece, thought: true })),
      ...text.map((piece) => chunk({ text: piece })),
      ...calls.map(({ id, name, argumentPieces }) =>
        chunk({
          functionCall: { name, args: JSON.parse(argumentPieces.join("")) as unknown, id },
        }),
      ),
      chunk({ text: "" }, { finishReason: "STOP" }),
    ];
  },
};
