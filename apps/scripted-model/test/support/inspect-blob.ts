import type { ToolResult } from "../../src/model-view.js";

const MAX_PAYLOAD_CHARACTERS = 4000;

/** Answers a selector in the format of the real `inspect`; texts in it are ASCII, so bytes are characters. */
export function inspectBlob(id: string, text: string | undefined, selector: string): ToolResult {
  if (text === undefined)
    return failure("not_found", `blob "${id}" no longer exists, or never did`);
  let value = text;
  let from = 0;
  let until = text.length;
  const path: string[] = [];
  for (const step of splitSteps(selector)) {
    const [, verb = "", raw = ""] = /^(\w+):(.*)$/su.exec(step) ?? [];
    const argument = raw.startsWith('"') ? String(JSON.parse(raw)) : raw;
    const [a = 0, b = 0] = argument.split(/\.\.|-/u).map(Number);
    if (verb === "key" || verb === "slice") {
      const whole: unknown = JSON.parse(value);
      const part = verb === "key" ? Object(whole)[argument] : [].slice.call(whole, a, b);
      if (part === undefined) return failure("missing_key", `there is no key ${argument}`);
      value = JSON.stringify(part);
      [from, until] = [0, value.length];
      path.push(step);
    } else if (verb === "bytes") [from, until] = [a, Math.min(b, value.length)];
    else if (verb === "lines") {
      const lines = value.split("\n");
      if (a > lines.length) return failure("out_of_range", `lines 1-${lines.length} are valid`);
      from = lines.slice(0, a - 1).join("\n").length + (a > 1 ? 1 : 0);
      until = Math.min(value.length, lines.slice(0, b).join("\n").length + 1);
    } else if (verb === "find") return find(id, { value, from, until, path }, argument, raw);
    else return failure("bad_selector", `unknown step ${step}`);
  }
  return show(id, { value, from, until, path });
}

interface Scope {
  readonly value: string;
  readonly from: number;
  readonly until: number;
  readonly path: readonly string[];
}

function show(id: string, { value, from, until, path }: Scope): ToolResult {
  const end = Math.min(until, from + MAX_PAYLOAD_CHARACTERS);
  const payload = value.slice(from, end);
  const first = value.slice(0, from).split("\n").length;
  const last = first + payload.split("\n").length - (payload.endsWith("\n") ? 2 : 1);
  const total = value.split("\n").length;
  const kind = isJson(value) ? "json_array" : "text";
  const facts = kind === "text" ? [`lines ${first}-${last} of ${total}`] : ["9 entries"];
  const next = [...path, `bytes:${end}-${until}`].join(" | ");
  const state = end < until ? `next: ${next}` : "complete";
  const header = [
    `[blob:${id}] ${kind}`,
    ...facts,
    `bytes ${from}-${end} of ${value.length}`,
    state,
  ];
  return { text: `${header.join(" | ")}\n${payload}`, isError: false };
}

const MAX_HITS = 20;

function find(id: string, scope: Scope, needle: string, raw: string): ToolResult {
  const { value, from, until, path } = scope;
  const places: number[] = [];
  for (
    let at = value.indexOf(needle, from);
    at !== -1 && at < until;
    at = value.indexOf(needle, at + 1)
  ) {
    places.push(at);
  }
  const bytes = `bytes ${from}-${until} of ${value.length}`;
  const kind = isJson(value) ? "json_array" : "text";
  if (places.length === 0) {
    return {
      text: `[blob:${id}] ${kind} | no match | ${bytes} | complete\nfind: is literal`,
      isError: false,
    };
  }
  const shown = places.slice(0, MAX_HITS);
  const lines = shown.map((at) => {
    const line = value.slice(0, at).split("\n").length;
    const context = value
      .slice(Math.max(0, at - 80), at + needle.length + 80)
      .split("\n")
      .join("↵");
    return kind === "text" ? `line ${line} (byte ${at}): ${context}` : `byte ${at}: ${context}`;
  });
  const next = [...path, `bytes:${(shown.at(-1) ?? 0) + needle.length}-${until}`, `find:${raw}`];
  const state = places.length > MAX_HITS ? `next: ${next.join(" | ")}` : "complete";
  const header = `[blob:${id}] ${kind} | matches 1-${shown.length} of ${places.length} | ${bytes} | ${state}`;
  return { text: `${header}\n${lines.join("\n")}`, isError: false };
}

function splitSteps(selector: string): string[] {
  return selector.match(/\w+:(?:"(?:[^"\\]|\\.)*"|[^|"]*)/gu)?.map((step) => step.trim()) ?? [];
}

function failure(code: string, message: string): ToolResult {
  return { text: `inspect error (${code}): ${message}`, isError: true };
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}
