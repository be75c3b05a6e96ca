import type { Wire } from "./wire.js";

/** Ollama /api/chat: a line for each event, calls whole. */
export const ollama: Wire = {
  name: "ollama",
  contentType: "application/x-ndjson",
  streamsArguments: false,
  frames({ thinking, text, calls }) {
    const line = (message: object, rest: object = { done: false }): string =>
      `${JSON.stringify({
        model: "qwen3.6:latest",
        created_at: "2026-09-21T06:08:23.577476Z",
        message: { role: "assistant", content: "", ...message },
        ...rest,
      })}\n`;
    return [
      ...thinking.map((piece) => line({ thinking: piece })),
      ...text.map((content) => line({ content })),
      ...calls.map(({ id, name, argumentPieces }, index) => {
        const value = JSON.parse(argumentPieces.join("")) as unknown;
        return line({ tool_calls: [{ id, function: { index, name, arguments: value } }] });
      }),
      line(
        {},
        {
          done: true,
          done_reason: "stop",
          total_duration: 8_633_813_833,
          load_duration: 143_253_708,
          prompt_eval_count: 2095,
          prompt_eval_duration: 25_843_000,
          eval_count: 22_000,
          eval_duration: 8_442_672_000,
        },
      ),
    ];
  },
};
