import type { Message } from "../message.js";

/** A wire that answers can be streamed on. */
export interface Wire {
  readonly name: WireName;
  readonly contentType: string;
  /** Whether arguments of calls come in pieces; else each call comes whole in one event. */
  readonly streamsArguments: boolean;
  /** The events of the answer as they stand on the wire, framing included. */
  frames(message: Message): string[];
}

/** The five wires. */
export type WireName = "anthropic" | "openai-chat" | "openai-responses" | "gemini" | "ollama";

/** A server-sent event of a wire that names its events. */
export function namedEvent(payload: {
  readonly type: string;
  readonly [key: string]: unknown;
}): string {
  return `event: ${payload.type}\ndata: ${JSON.stringify(payload)}\n\n`;
}
