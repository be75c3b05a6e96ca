import { argumentsText, isRecord, stringOf } from "llm-worker";

/** Arguments as JSON text: what the API sends, though some servers send the object itself. */
export function sentArguments(value: unknown): string {
  return isRecord(value) ? argumentsText(value) : stringOf(value);
}
