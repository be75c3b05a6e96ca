/** A request as any wire would say it: all that the policy gets to see. */
export interface ModelView {
  readonly system: string;
  readonly tools: readonly DeclaredTool[];
  readonly toolChoice: ToolChoice;
  /** Whether one answer may hold several calls. */
  readonly allowsParallelCalls: boolean;
  /** Oldest first. */
  readonly history: readonly HistoryEntry[];
}

/** A tool as the request declares it. */
export interface DeclaredTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input. */
  readonly inputSchema: unknown;
}

/** Whether the model may or must call, and which tool. */
export type ToolChoice = "auto" | "none" | "required" | { readonly name: string };

/** One entry of the conversation; a call stands with its result. */
export type HistoryEntry =
  | { readonly type: "user"; readonly text: string }
  | { readonly type: "assistant"; readonly text: string }
  | CallEntry;

/** A call that was made, with its result. */
export interface CallEntry {
  readonly type: "call";
  readonly name: string;
  readonly input: unknown;
  readonly result: ToolResult;
}

/** What came of a call, as the model gets to see it. */
export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

/** A call to make. */
export interface ToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What the model does next. `because` is its reason in one sentence. */
export type Action =
  | { readonly type: "call"; readonly because: string; readonly calls: readonly ToolCall[] }
  | { readonly type: "answer"; readonly because: string; readonly text: string };
