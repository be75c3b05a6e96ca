import type { ToolOutputPolicy } from "llm-worker";

/** Puts every output into the history as it is. */
export const inlineAll: ToolOutputPolicy = {
  name: "all_inline",
  apply: async (value, { isError }) => ({
    summary: String(value).toWellFormed(),
    ...(isError ? { isError } : {}),
  }),
};
