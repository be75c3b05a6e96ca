import { type Item, type ToolCallItem, type ToolResultItem, toolResultText } from "llm-worker";
import type { Trace } from "./trace.js";

/** Where what was recorded is at the end of a session. */
export interface Reachability {
  readonly outputCount: number;
  /** Outputs of which all is in the history. */
  readonly wholeCount: number;
  /** Outputs of which all is in the store, byte for byte. */
  readonly storedCount: number;
  readonly storedBytes: number;
  /** Calls whose arguments are in the store, byte for byte. */
  readonly storedCallCount: number;
  /** Outputs and calls of which bytes are neither here nor there. */
  readonly lostCount: number;
}

/** The bytes that an item refers to, or `undefined` if it refers to none. */
export type LoadStored = (
  item: Pick<ToolResultItem, "blob" | "files">,
) => Promise<Uint8Array | undefined>;

/** Compares what was recorded with what the history holds of it or refers to. */
export async function checkReachability(
  items: readonly Item[],
  trace: Trace,
  loadStored: LoadStored,
): Promise<Reachability> {
  const recordedArguments = argumentsByCall(trace);
  let wholeCount = 0;
  let storedCount = 0;
  let storedBytes = 0;
  let storedCallCount = 0;
  let lostCount = 0;
  for (const item of items) {
    if (item.type !== "tool_call" && item.type !== "tool_result") continue;
    const expected =
      item.type === "tool_call"
        ? recordedArguments.get(item.callId)
        : trace.outputs.get(item.callId)?.text.toWellFormed();
    // A look is not in the recording.
    if (expected === undefined) continue;
    const stored = await loadStored(item);
    const isReachable =
      stored === undefined ? isWhole(item, expected) : Buffer.from(expected).equals(stored);
    if (!isReachable) lostCount += 1;
    else if (item.type === "tool_call") storedCallCount += stored === undefined ? 0 : 1;
    else if (stored === undefined) wholeCount += 1;
    else {
      storedCount += 1;
      storedBytes += stored.length;
    }
  }
  const outputCount = items.filter(
    (item) => item.type === "tool_result" && trace.outputs.has(item.callId),
  ).length;
  return { outputCount, wholeCount, storedCount, storedBytes, storedCallCount, lostCount };
}

function argumentsByCall(trace: Trace): ReadonlyMap<string, string> {
  return new Map(
    trace.answers
      .flat()
      .flatMap((block) => (block.type === "tool_use" ? [[block.callId, block.arguments]] : [])),
  );
}

function isWhole(item: ToolCallItem | ToolResultItem, expected: string): boolean {
  if (item.type === "tool_call") return item.arguments === expected;
  return item.content === expected || toolResultText(item) === expected;
}
