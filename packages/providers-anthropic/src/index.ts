export { anthropic, type AnthropicOptions } from "./anthropic.js";
export { type AnthropicSchemeOptions, DEFAULT_MAX_OUTPUT_TOKENS } from "./build-request.js";
export { AnthropicScheme } from "./scheme.js";
export {
  type AnthropicEffort,
  type AnthropicThinking,
  type CacheTtl,
  DEFAULT_VERSION,
  SAMPLING_VERSION,
  type ThinkingDisplay,
} from "./wire.js";
export type { AnthropicState } from "./state.js";
