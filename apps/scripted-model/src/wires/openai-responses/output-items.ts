import { cutText } from "../../pieces.js";
import type { Random } from "../../random.js";
import type { Answer, AnswerPart } from "../answer.js";
import { makeCallId, makePadding } from "../openai/ids.js";
import { type ItemOrigin, makeItemId } from "./item-ids.js";
import { sealReasoning } from "./sealed-reasoning.js";

/** Fields of an item or event. */
export type Fields = Readonly<Record<string, unknown>>;

/** An item of the answer: as it is opened, the events that fill it, and how it is written whole. */
export interface OutputItem {
  readonly opened: Fields;
  /** Without the places that each event names: item, output index, sequence number. */
  readonly events: readonly ({ readonly type: string } & Fields)[];
  readonly whole: () => Fields;
}

/** What a request says about the form of the items. */
export interface ItemSettings {
  readonly isStored: boolean;
  readonly showsSummary: boolean;
  readonly includesEncrypted: boolean;
  readonly isPadded: boolean;
}

/** The parts of an answer as items. */
export function writeItems(answer: Answer, settings: ItemSettings, random: Random): OutputItem[] {
  return answer.parts.map((part, index) => {
    const followsReasoning = answer.parts[index - 1]?.type === "thinking";
    const isCut = answer.end === "max_tokens" && index === answer.parts.length - 1;
    const origin = { isStored: settings.isStored, followsReasoning };
    const context = { settings, origin, status: isCut ? "incomplete" : "completed", random };
    switch (part.type) {
      case "thinking":
        return reasoningItem(part.text, context);
      case "text":
        return messageItem(part.text, answer.end === "calls", context);
      case "call":
        return callItem(part, context);
    }
  });
}

interface ItemContext {
  readonly settings: ItemSettings;
  readonly origin: ItemOrigin;
  readonly status: string;
  readonly random: Random;
}

function reasoningItem(text: string, { settings, origin, random }: ItemContext): OutputItem {
  const id = makeItemId("reasoning", origin, random);
  const seal = (): Fields =>
    settings.includesEncrypted ? { encrypted_content: sealReasoning(id, text, random) } : {};
  const summary = settings.showsSummary ? [{ type: "summary_text", text }] : [];
  const place = { summary_index: 0 };
  const events = summary.flatMap((part) => [
    { type: "response.reasoning_summary_part.added", ...place, part: { ...part, text: "" } },
    ...cutText(text, random).map((delta) => ({
      type: "response.reasoning_summary_text.delta",
      ...place,
      delta,
      ...padding(settings, random),
    })),
    { type: "response.reasoning_summary_text.done", ...place, text },
    { type: "response.reasoning_summary_part.done", ...place, part },
  ]);
  return {
    opened: { id, type: "reasoning", ...seal(), summary: [] },
    events,
    whole: () => ({ id, type: "reasoning", ...seal(), summary }),
  };
}

function messageItem(
  text: string,
  isBeforeCalls: boolean,
  { settings, origin, status, random }: ItemContext,
): OutputItem {
  const id = makeItemId("message", origin, random);
  const phase = isBeforeCalls ? "commentary" : "final_answer";
  const message = { id, type: "message", role: "assistant", phase };
  const part = { type: "output_text", annotations: [], logprobs: [], text };
  const place = { content_index: 0 };
  return {
    opened: { ...message, status: "in_progress", content: [] },
    events: [
      { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
      ...cutText(text, random).map((delta) => ({
        type: "response.output_text.delta",
        ...place,
        delta,
        logprobs: [],
        ...padding(settings, random),
      })),
      { type: "response.output_text.done", ...place, text, logprobs: [] },
      { type: "response.content_part.done", ...place, part },
    ],
    whole: () => ({ ...message, status, content: [part] }),
  };
}

function callItem(
  { name, json }: Extract<AnswerPart, { type: "call" }>,
  { settings, origin, status, random }: ItemContext,
): OutputItem {
  const id = makeItemId("function_call", origin, random);
  const call = { id, type: "function_call", call_id: makeCallId(random), name };
  return {
    opened: { ...call, status: "in_progress", arguments: "" },
    events: [
      ...cutText(json, random).map((delta) => ({
        type: "response.function_call_arguments.delta",
        delta,
        ...padding(settings, random),
      })),
      { type: "response.function_call_arguments.done", name, arguments: json },
    ],
    whole: () => ({ ...call, status, arguments: json }),
  };
}

function padding({ isPadded }: ItemSettings, random: Random): Fields {
  return isPadded ? { obfuscation: makePadding(random) } : {};
}
