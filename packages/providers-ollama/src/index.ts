export { ollama, type OllamaOptions } from "./ollama.js";
export type { OllamaSchemeOptions } from "./build-request.js";
export { OllamaScheme } from "./scheme.js";
export type { OllamaThink } from "./wire.js";
export type { OllamaState } from "./state.js";
