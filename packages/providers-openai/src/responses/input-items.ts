import {
  type ByteLog,
  type ConversationMessage,
  jsonList,
  type MessagesWriter,
  stringOf,
} from "llm-worker";
import { LayeredSet } from "./layered-set.js";
import { toUnit, type Unit } from "./units.js";
import { CLIENT_CALL_TYPES } from "./wire.js";

type ReasoningUnit = Extract<Unit, { kind: "reasoning" }>;
type MessageUnit = Extract<Unit, { kind: "message" }>;

/** Which reasoning the server knows: with `"on"` also what it keeps itself. */
export interface InputOptions {
  readonly model: string;
  readonly store?: "on" | "off" | undefined;
}

/**
 * Writes the history as input items, with every repair that keeps the server from refusing them.
 * What becomes of an item depends only on its answer and on what was before.
 */
export class InputWriter implements MessagesWriter {
  readonly #options: InputOptions;
  readonly #usedIds: LayeredSet;
  readonly #customCalls: LayeredSet;
  readonly #clientCalls: LayeredSet;
  #isEmpty = true;

  constructor(options: InputOptions, before?: InputWriter) {
    this.#options = options;
    this.#usedIds = new LayeredSet(before === undefined ? undefined : before.#usedIds);
    this.#customCalls = new LayeredSet(before === undefined ? undefined : before.#customCalls);
    this.#clientCalls = new LayeredSet(before === undefined ? undefined : before.#clientCalls);
    if (before !== undefined) this.#isEmpty = before.#isEmpty;
  }

  /** Whether there is nothing that could be sent. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  write(messages: readonly ConversationMessage[], out: ByteLog): void {
    for (const { role, entries } of messages) {
      const units = entries.map((entry) => toUnit(entry, this.#options.model));
      if (role === "assistant") this.#writeAnswer(joinMessages(units), out);
      else this.#writeInput(units, out);
    }
  }

  writeEnd(messages: readonly ConversationMessage[], out: ByteLog): void {
    this.write(messages, out);
  }

  fork(): this {
    // The class has no subclasses.
    return new InputWriter(this.#options, this) as this;
  }

  #writeItem(json: string, out: ByteLog): void {
    out.append(this.isEmpty ? json : `,${json}`);
    this.#isEmpty = false;
  }

  #writeInput(units: readonly Unit[], out: ByteLog): void {
    for (const unit of units) {
      if (unit.kind === "user") this.#writeItem(unit.json, out);
      if (unit.kind !== "result") continue;
      const type = this.#customCalls.has(unit.callId)
        ? "custom_tool_call_output"
        : "function_call_output";
      const callId = JSON.stringify(unit.callId);
      this.#writeItem(`{"type":"${type}","call_id":${callId},"output":${unit.output}}`, out);
    }
  }

  /**
   * Reasoning and what came after it go together with their ids, or not at all (R1, R2): reasoning
   * is sent only if the next item has its id, and ids only after reasoning that is sent.
   */
  #writeAnswer(all: readonly Unit[], out: ByteLog): void {
    const units = all.filter((unit) => this.#isSendable(unit, all));
    const kept = this.#keptReasoning(units);
    let isPaired = false;
    for (const unit of units) {
      switch (unit.kind) {
        case "reasoning":
          isPaired = kept.has(unit);
          if (isPaired) this.#writeItem(unit.json, out);
          break;
        case "message":
          this.#writeItem(messageJson(unit, isPaired), out);
          break;
        case "call": {
          if (unit.isCustom) this.#customCalls.add(unit.callId);
          const type = unit.isCustom ? "custom_tool_call" : "function_call";
          const id = isPaired && unit.id !== "" ? `"id":${JSON.stringify(unit.id)},` : "";
          this.#writeItem(`{"type":"${type}",${id}${unit.fields}`, out);
          break;
        }
        case "opaque":
          this.#writeItem(unit.json, out);
          break;
        case "user":
        case "result":
        case "nothing":
          break;
      }
      if ("id" in unit && unit.id !== "") this.#usedIds.add(unit.id);
    }
  }

  #keptReasoning(units: readonly Unit[]): ReadonlySet<Unit> {
    const kept = new Set<Unit>();
    if (!units.some(({ kind }) => kind === "reasoning")) return kept;
    let next: Unit | undefined;
    for (const unit of units.toReversed()) {
      if (unit.kind === "reasoning" && this.#canKeep(unit) && next !== undefined) {
        const follows =
          next.kind === "reasoning" ? kept.has(next) : hasFreshId(next, this.#usedIds);
        if (follows) kept.add(unit);
      }
      next = unit;
    }
    return kept;
  }

  #canKeep(unit: ReasoningUnit): boolean {
    return (unit.hasContent || this.#options.store === "on") && !this.#usedIds.has(unit.id);
  }

  /** Leaves out repeated items (R4), calls that nobody can answer (R8) and outputs without a call. */
  #isSendable(unit: Unit, all: readonly Unit[]): boolean {
    if (unit.kind !== "opaque") return true;
    if (unit.id !== "" && this.#usedIds.has(unit.id)) return false;
    const type = stringOf(unit.data["type"]);
    const callId = stringOf(unit.data["call_id"]);
    if (!CLIENT_CALL_TYPES.has(type)) {
      return !CLIENT_CALL_TYPES.has(type.replace(/_output$/, "")) || this.#clientCalls.has(callId);
    }
    const isAnswered = all.some(
      (other) =>
        other.kind === "opaque" &&
        other.data["type"] === `${type}_output` &&
        other.data["call_id"] === callId,
    );
    if (isAnswered) this.#clientCalls.add(callId);
    return isAnswered;
  }
}

/** Parts of one message are items of their own in the history; on the wire they are one again. */
function joinMessages(units: readonly Unit[]): readonly Unit[] {
  const joined: Unit[] = [];
  for (const unit of units) {
    const last = joined.at(-1);
    const continues = unit.kind === "message" && last?.kind === "message" && unit.id !== "";
    if (continues && last.id === unit.id) {
      joined[joined.length - 1] = { ...last, parts: [...last.parts, ...unit.parts] };
    } else if (unit.kind !== "nothing") {
      joined.push(unit);
    }
  }
  return joined;
}

function hasFreshId(unit: Unit, usedIds: LayeredSet): boolean {
  return "id" in unit && unit.id !== "" && !usedIds.has(unit.id);
}

/** With its id a message is written as the API gave it, without one in the short form (R3). */
function messageJson({ id, parts, phase }: MessageUnit, isPaired: boolean): string {
  const suffix = phase === "" ? "" : `,"phase":${JSON.stringify(phase)}`;
  if (!isPaired || id === "") {
    const text = parts.map((part) => part.text.slice(1, -1)).join("");
    return `{"role":"assistant","content":"${text}"${suffix}}`;
  }
  const content = jsonList(parts.map(({ json }) => json));
  return `{"type":"message","id":${JSON.stringify(id)},"role":"assistant","status":"completed","content":${content}${suffix}}`;
}
