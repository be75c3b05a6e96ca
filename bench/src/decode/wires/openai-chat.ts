import type { Wire } from "./wire.js";

/** OpenAI Chat Completions, reasoning in `reasoning_content` as compatible servers send it. */
export const openaiChat: Wire = {
  name: "openai-chat",
  contentType: "text/event-stream; charset=utf-8",
  streamsArguments: true,
  frames({ thinking, text, calls }) {
    const chunk = (fields: object): string =>
      `data: ${JSON.stringify({
        id: "chatcmpl-BpJ0cZfZ4hq0yGQ9x3e7kQk1V0aBc",
        object: "chat.completion.chunk",
        created: 1_790_000_000,
        model: "gpt-5.6-2026-08-01",
        service_tier: "default",
        system_fingerprint: "fp_a1b2c3d4e5",
        ...fields,
      })}\n\n`;
    const delta = (value: object, finish_reason: string | null = null): string =>
      chunk({
        choices: [{ index: 0, delta: value, logprobs: null, finish_reason }],
        usage: null,
        obfuscation: "q7Zx1mPf",
      });
    return [
      delta({ role: "assistant", content: "", refusal: null }),
      ...thinking.map((piece) => delta({ reasoning_content: piece })),
      ...text.map((content) => delta({ content })),
      ...calls.flatMap(({ id, name, argumentPieces }, index) => [
        delta({
          tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }],
        }),
        ...argumentPieces.map((piece) =>
          delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
        ),
      ]),
      delta({}, calls.length > 0 ? "tool_calls" : "stop"),
      chunk({
        choices: [],
        usage: {
          prompt_tokens: 2095,
          completion_tokens: 22_000,
          total_tokens: 24_095,
          prompt_tokens_details: { cached_tokens: 0 },
          completion_tokens_details: { reasoning_tokens: 2000 },
        },
        obfuscation: "",
      }),
      "data: [DONE]\n\n",
    ];
  },
};
