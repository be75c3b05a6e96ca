/** A request of `/api/chat` after `checkRequest`: what this server reads of it. */
export interface ChatRequest {
  readonly model: string;
  readonly messages?: readonly Message[] | undefined;
  readonly tools?: readonly ToolParam[] | undefined;
  readonly think?: boolean | string | undefined;
  readonly stream?: boolean | undefined;
  readonly options?: ModelOptions | undefined;
}

/** What the answer is to be like. */
export interface ModelOptions {
  /** Below 0: no limit. */
  readonly num_predict?: number | undefined;
  readonly stop?: string | readonly string[] | undefined;
}

/** One message. */
export interface Message {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content?: string | undefined;
  readonly tool_calls?: readonly ToolCallParam[] | undefined;
  /** With a result: the tool that was called, and the id of the call. */
  readonly tool_name?: string | undefined;
  readonly tool_call_id?: string | undefined;
}

/** A call that an earlier answer made. */
export interface ToolCallParam {
  readonly id?: string | undefined;
  readonly function: {
    readonly name: string;
    readonly arguments: Readonly<Record<string, unknown>>;
  };
}

/** A tool as it is declared. */
export interface ToolParam {
  readonly function: {
    readonly name: string;
    readonly description?: string | undefined;
    readonly parameters?: unknown;
  };
}
