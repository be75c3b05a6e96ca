/** A turn of a made session: what the model says and calls, and what the tools give. */
export interface Turn {
  readonly text?: string;
  readonly calls?: readonly Call[];
  /** What the user says when the turn is over. */
  readonly prompt?: string;
}

export interface Call {
  readonly output: string;
  readonly isError?: true;
  /** A long argument. */
  readonly note?: string;
}

/** Writes a session in the format of the corpus. */
export function sessionJsonl(turns: readonly Turn[], id = "made"): string {
  const lines: unknown[] = [
    { type: "session", v: 1, id, requests: turns.length },
    { type: "message", turn: 0, role: "system", text: "You answer questions about files." },
    { type: "message", turn: 0, role: "user", text: "What is in the log?" },
  ];
  let callCount = 0;
  for (const [turn, { text, calls = [], prompt }] of turns.entries()) {
    lines.push({ type: "reasoning", turn, text: `I think about turn ${turn}.` });
    if (text !== undefined) lines.push({ type: "message", turn, role: "assistant", text });
    const made = calls.map((call) => ({ ...call, call_id: `c${(callCount += 1)}` }));
    for (const { call_id, note } of made) {
      const call = { call_id, name: "read", arguments: { path: `${call_id}.log`, note } };
      lines.push({ type: "tool_call", turn, ...call });
    }
    for (const { call_id, output, isError } of made) {
      const flag = isError === undefined ? {} : { is_error: true };
      lines.push({ type: "tool_result", turn: turn + 1, call_id, name: "read", output, ...flag });
    }
    if (prompt !== undefined) {
      lines.push({ type: "message", turn: turn + 1, role: "user", text: prompt });
    }
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** A log of about so many bytes, another one for each name. */
export function log(name: string, bytes: number): string {
  let text = "";
  for (let line = 1; text.length < bytes; line += 1) text += `${name} line ${line}: all is well\n`;
  return text;
}

/** Small, medium and large outputs, a long call, parallel calls, an error, a second question. */
export const turns: readonly Turn[] = [
  { text: "I look.", calls: [{ output: "a.log\nb.log\n" }, { output: log("a", 12_000) }] },
  { calls: [{ output: log("b", 12_000), note: log("a note on", 3000) }] },
  { calls: [{ output: log("c", 12_000) }, { output: log("d", 60_000) }] },
  { calls: [{ output: log("error", 5000), isError: true }] },
  { calls: [{ output: log("e", 12_000) }] },
  { text: "All is well.", prompt: "Are you sure?" },
  { calls: [{ output: log("f", 12_000) }], prompt: "Be quick." },
  { calls: [{ output: `[${'{"id":12345678901234567890},'.repeat(300)}{}]` }] },
  { calls: [{ output: log("g", 3000) }] },
  { text: "I am." },
];
