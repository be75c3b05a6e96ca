export { gemini, type GeminiOptions } from "./gemini.js";
export type { GeminiSchemeOptions } from "./build-request.js";
export { GeminiScheme } from "./scheme.js";
export { DEFAULT_API_VERSION, type GeminiThinking, type GeminiThinkingLevel } from "./wire.js";
export type { GeminiState } from "./state.js";
