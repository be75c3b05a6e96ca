export {
  openai,
  openaiCompatible,
  type OpenAICompatibleOptions,
  type OpenAIConnectionOptions,
  type OpenAIOptions,
} from "./openai.js";
export type { OpenAIEffort, OpenAISchemeOptions, OpenAIVerbosity } from "./scheme-options.js";
export type { OutputSchemaMode, StrictTools } from "./tools.js";
export type { OpenAIChatSchemeOptions } from "./chat/build-request.js";
export { OpenAIChatScheme } from "./chat/scheme.js";
export type { ChatState } from "./chat/state.js";
export type { OpenAIResponsesSchemeOptions } from "./responses/build-request.js";
export { OpenAIResponsesScheme } from "./responses/scheme.js";
export type { ResponsesState } from "./responses/state.js";
