import type { Action, CallEntry, HistoryEntry, ToolCall } from "../../src/model-view.js";
import { nextAction } from "../../src/policy.js";
import type { Workspace } from "./workspace.js";

/** What came of one question. */
export interface Turn {
  readonly answer: string;
  readonly calls: readonly ToolCall[];
  /** The selectors of its `inspect` calls. */
  readonly selectors: readonly string[];
}

/** A conversation with the policy alone: no wire, no server. */
export class Conversation {
  readonly history: HistoryEntry[] = [];
  readonly #workspace: Workspace;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Asks, runs the tools that the model calls, and returns its answer. */
  ask(question: string): Turn {
    const calls: ToolCall[] = [];
    this.history.push({ type: "user", text: question });
    for (;;) {
      const action = this.next();
      if (action.type === "answer") {
        this.history.push({ type: "assistant", text: action.text });
        const selectors = calls
          .filter((call) => call.name === "inspect")
          .map(({ input }) => (typeof input["selector"] === "string" ? input["selector"] : ""));
        return { answer: action.text, calls, selectors };
      }
      calls.push(...action.calls);
      this.history.push(
        ...action.calls.map((call): CallEntry => ({
          type: "call",
          ...call,
          result: this.#workspace.run(call),
        })),
      );
    }
  }

  next(): Action {
    return nextAction({
      system: "",
      tools: this.#workspace.tools,
      toolChoice: "auto",
      allowsParallelCalls: true,
      history: this.history,
    });
  }
}
