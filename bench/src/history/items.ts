import type { Item } from "llm-worker";

/** Characters of a tool's output, as in the design's own figures. */
const OUTPUT_CHARS = 800;
const WORDS = ["const", "history", "=", "'it\"s'", "of\tbytes;", "\n", "// once", "return", "0x1f"];
/** One item in so many has text outside of Latin-1, which V8 keeps in another form. */
const WIDE_TEXT_EVERY = 10;

/** What stands in the text of an item and in nothing else, so that a body can be checked. */
export const MARKER: RegExp = /\[#\d+#\]/g;

/**
 * A conversation of an even number of items: calls with their results, and now and then the user and
 * the model say something.
 */
export function createItems(count: number): readonly Item[] {
  return Array.from({ length: count }, (_, index) => itemAt(index));
}

/** The answer and the result that the next turn adds to such a conversation. */
export function createTurn(length: number): readonly Item[] {
  return [callAt(length), resultAt(length + 1)];
}

function itemAt(index: number): Item {
  const place = index % 40;
  if (place > 1) return place % 2 === 0 ? callAt(index) : resultAt(index);
  return {
    type: "message",
    role: place === 0 ? "user" : "assistant",
    content: [{ type: "text", text: textOf(index, 200) }],
  };
}

function callAt(index: number): Item {
  const input = { path: `src/file-${index}.ts`, patch: textOf(index, 400), limit: index };
  return {
    type: "tool_call",
    callId: `call_${index}`,
    name: "edit",
    arguments: JSON.stringify(input),
  };
}

function resultAt(index: number): Item {
  return {
    type: "tool_result",
    callId: `call_${index - 1}`,
    summary: textOf(index, OUTPUT_CHARS),
  };
}

function textOf(index: number, length: number): string {
  let text = `[#${index}#]`;
  for (let word = index; text.length < length; word += 1) {
    text += ` ${WORDS[word % WORDS.length] ?? ""} ${word}`;
    if (index % WIDE_TEXT_EVERY === 0) text += " 履歴 🙂";
  }
  // Flat, as text that came off a wire is.
  return Buffer.from(text).toString();
}
