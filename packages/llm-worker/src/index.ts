export { LlmWorkerError, OutputLimitsError } from "./errors.js";

// worker
export { Worker } from "./worker/worker.js";
export type { RunStream } from "./worker/worker.js";
export type { Prompt } from "./worker/prompt.js";
export type {
  ResumeDecisions,
  RunOptions,
  WorkerDeps,
  WorkerOptions,
} from "./worker/worker-options.js";
export type { RunEvent, WorkerEvent } from "./worker/run-event.js";
export { RunError } from "./worker/run-result.js";
export type { LimitName, PendingCall, RunResult, RunStatus } from "./worker/run-result.js";
export { DEFAULT_MAX_TURNS } from "./worker/run-context.js";
export type { RunLimits } from "./worker/run-context.js";
export { PhaseError, RunStateError } from "./worker/phase.js";
export type { CacheLocked, Mutable, Phase } from "./worker/phase.js";
export type { PrefixChange } from "./worker/prefix-watch.js";
export { LockedPrefixError } from "./worker/request-items.js";
export { SnapshotError } from "./worker/snapshot.js";
export type { WorkerSnapshot } from "./worker/snapshot.js";
export type { Checkpoint, CheckpointMoment, SaveCheckpoint } from "./worker/checkpoint.js";
export { estimateTextTokens, TokenEstimator } from "./worker/token-estimator.js";
export type { EstimatedRequest, EstimateText } from "./worker/token-estimator.js";

// hooks
export type { Decision, Hook, HookPoint, HookPoints, Pause, Stop } from "./hook/hook.js";
export { HookError } from "./hook/hook-registry.js";
export type { HookOptions } from "./hook/hook-registry.js";

// tools
export { defineTool, ToolDefinitionError } from "./tool/tool.js";
export type {
  JsonSchemaToolSpec,
  ReadBackAnswer,
  Tool,
  ToolContext,
  ToolSpec,
} from "./tool/tool.js";
export type { Validation } from "./tool/validation.js";
export type {
  OutputOf,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from "./tool/standard-schema.js";
export { ToolServer, ToolTimeoutError } from "./tool/tool-server.js";
export type {
  CallFailureCode,
  CallOutcome,
  PreparedCall,
  RunCallOptions,
  ToolServerOptions,
  ValidateOptions,
} from "./tool/tool-server.js";

// timeline
export { Timeline } from "./timeline/timeline.js";
export type { TimelineOptions } from "./timeline/timeline.js";
export type { Handler, Kind } from "./timeline/handler.js";
export * as kinds from "./timeline/kinds.js";
export type { BlockInput } from "./timeline/kinds.js";
export type { BlockMoment } from "./timeline/callbacks.js";
export { blockCallback, eventCallback } from "./timeline/callbacks.js";
export {
  collectItems,
  ItemSlots,
  OpaqueBlockCollector,
  TextBlockCollector,
  ThinkingBlockCollector,
  ToolCallCollector,
} from "./timeline/collectors.js";

// model
export { GrowingText } from "./model/growing-text.js";
export { messageText, toolResultText, userMessage } from "./model/item.js";
export type * from "./model/item.js";
export type * from "./model/event.js";
export type * from "./model/request.js";
export type { LlmErrorCode } from "./model/llm-error-code.js";

// client
export { argumentsJson, RAW_ARGUMENTS_FIELD } from "./client/arguments-json.js";
export { generatedCallId, wireCallId } from "./client/call-id.js";
export {
  CONTINUE_TEXT,
  MISSING_RESULT_TEXT,
  MISSING_START_TEXT,
  toConversation,
} from "./client/conversation.js";
export type { ConversationEntry, ConversationMessage } from "./client/conversation.js";
export { flaggedResultText, SILENT_ERROR_TEXT } from "./client/flagged-result.js";
export { DEFAULT_TIMEOUTS } from "./client/http-exchange.js";
export type { HttpTimeouts } from "./client/http-exchange.js";
export { HttpProvider } from "./client/http-provider.js";
export type { HttpHeaders, HttpProviderOptions, HttpRuntime } from "./client/http-provider.js";
export {
  codeOfStatus,
  httpStatusError,
  readErrorBody,
  readErrorValue,
} from "./client/http-status-error.js";
export type { ErrorBody, StatusErrorOverrides } from "./client/http-status-error.js";
export type { FrameDecoder } from "./client/frame-decoder.js";
export { ByteLog } from "./client/byte-log.js";
export { fieldTree } from "./client/json-fields.js";
export type { FieldTree, JsonPath, VaryingFields } from "./client/json-fields.js";
export { inlineRefs } from "./client/inline-refs.js";
export type { RecursiveRefs } from "./client/inline-refs.js";
export { HistoryWriter } from "./client/history-writer.js";
export type { MessagesWriter, Pairing, WrittenHistory } from "./client/history-writer.js";
export { JsonBody, jsonList } from "./client/json-body.js";
export { LlmError } from "./client/llm-error.js";
export type { LlmErrorDetails } from "./client/llm-error.js";
export { MissingApiKeyError } from "./client/missing-api-key-error.js";
export { plainObjectSchema } from "./client/object-schema.js";
export { NdjsonDecoder } from "./client/ndjson.js";
export { ownData } from "./client/own-data.js";
export type { Provider, StreamOptions } from "./client/provider.js";
export { RepeatingJson } from "./client/repeating-json.js";
export {
  argumentsText,
  beginsLikeObject,
  isRecord,
  listOf,
  numberOf,
  parseJson,
  stringOf,
} from "./client/read-json.js";
export type { WireRecord } from "./client/read-json.js";
export { DEFAULT_RETRY, retryAfterMs } from "./client/retry.js";
export type { RetryOptions } from "./client/retry.js";
export type { Frame, ResponseHeaders, Scheme, WireRequest } from "./client/scheme.js";
export { foreignJson, wellFormedJson } from "./client/well-formed-json.js";
export { WireBody } from "./client/wire-body.js";
export { SseDecoder } from "./client/sse.js";
export type { JsonValue } from "./blob/content.js";

// outputs
export { ToolOutput } from "./output/tool-output.js";
export type { InlineOutput, StoredOutput, ToolOutputFactory } from "./output/tool-output.js";
export { balancedLimits, freshLimits, leanLimits } from "./output/output-limits.js";
export { profiles } from "./output/profiles.js";
export type { Aging, OutputProfile, ProfileName } from "./output/profiles.js";
export { DEFAULT_TURN_INLINE_MAX_BYTES } from "./worker/turn-budget.js";
export type { OutputLimits } from "./output/output-limits.js";
export type {
  OutputEvent,
  PolicyContext,
  ToolOutputPolicy,
  ToolResultFields,
} from "./output/policy.js";
export { lazyLoad } from "./output/lazy-load.js";
export type { LazyLoadOptions } from "./output/lazy-load.js";
export { CHARS_PER_TOKEN, DEFAULT_TOKEN_LIMIT, offloadToFile } from "./output/offload-to-file.js";
export type { OffloadToFileOptions } from "./output/offload-to-file.js";
export { OFFLOAD_DIRECTORY } from "./output/offload-path.js";
export type { OffloadedCall } from "./output/offload-path.js";
export type { FileBackend, FileStat } from "./output/file-backend.js";
export { FileNotFoundError, MemoryFileBackend } from "./output/memory-file-backend.js";
export {
  DEFAULT_READ_FILE_BYTES,
  MIN_READ_FILE_BYTES,
  READ_FILE_TOOL_NAME,
} from "./output/read-file-tool.js";
export { summaryAndContent } from "./output/summary-and-content.js";
export type { SummaryAndContentOptions } from "./output/summary-and-content.js";
export { OutputStoreError } from "./output/store-failure.js";
export { summarizeContent, withBlobId } from "./output/summary.js";
export type { SummaryLimits, SummaryParts } from "./output/summary.js";
export { prune } from "./worker/prune.js";
export type { PruneOptions } from "./worker/prune.js";

// inspect
export { createInspectTool, INSPECT_TOOL_NAME } from "./inspect/inspect-tool.js";
export type { InspectAnswer, InspectToolOptions } from "./inspect/inspect-tool.js";
export { readBlob } from "./inspect/read.js";
export type { ReadBlobOptions } from "./inspect/read.js";
export { DEFAULT_MAX_ANSWER_BYTES, MIN_ANSWER_BYTES } from "./inspect/answer.js";
export type { BlobAnswer } from "./inspect/answer.js";
export type { InspectErrorCode } from "./inspect/inspect-error.js";
export { parseSelector, printSelector, SelectorError } from "./inspect/selector.js";
export type { Selector, SelectorStep } from "./inspect/selector.js";
