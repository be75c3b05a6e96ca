import { isObject } from "../../json.js";
import {
  anyObject,
  anything,
  boolean,
  type Fields,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  type Path,
  type Shape,
  ShapeError,
  string,
  stringOr,
  tagged,
  text,
} from "../shape.js";
import { checkMessages } from "./check-messages.js";
import { refuse } from "./refuse.js";
import type { MessagesRequest } from "./request-types.js";

/** The version from which on sampling parameters are refused. */
const VERSION_WITHOUT_SAMPLING = "2026-10-21";
const MAX_CACHE_MARKS = 4;
const MIN_THINKING_TOKENS = 1024;

const cacheControl = nullable(object({ type: oneOf("ephemeral") }, { ttl: oneOf("5m", "1h") }));
const type: Shape = anything;

const textBlock = object(
  { type, text: string },
  { cache_control: cacheControl, citations: anything },
);
const imageBlock = object(
  { type, source: anyObject },
  { cache_control: cacheControl, transformations: anything },
);
const opaque = anyObject;

const resultBlock = tagged("type", {
  text: textBlock,
  image: imageBlock,
  document: opaque,
  search_result: opaque,
  tool_reference: opaque,
  browser_state: opaque,
});

const block = tagged("type", {
  text: textBlock,
  image: imageBlock,
  document: opaque,
  search_result: opaque,
  thinking: object({ type, thinking: string, signature: string }),
  redacted_thinking: object({ type, data: string }),
  tool_use: object(
    { type, id: text(/^[a-zA-Z0-9_-]+$/), name: text(/^[a-zA-Z0-9_-]{1,200}$/), input: anyObject },
    { cache_control: cacheControl, caller: anyObject, toolset_name: anything },
  ),
  tool_result: object(
    { type, tool_use_id: text(/^[a-zA-Z0-9_-]+$/) },
    {
      content: stringOr(list(resultBlock)),
      is_error: boolean,
      cache_control: cacheControl,
      toolset_name: anything,
    },
  ),
});

const customTool = object(
  { name: text(/^[a-zA-Z0-9_-]{1,128}$/), input_schema: inputSchema },
  {
    type: oneOf("custom", null),
    description: string,
    strict: boolean,
    input_examples: list(anyObject),
    cache_control: cacheControl,
    defer_loading: boolean,
    eager_input_streaming: nullable(boolean),
    allowed_callers: list(string),
  },
);

function inputSchema(value: unknown, path: Path): void {
  if (!isObject(value)) refuse(path.join("."), "Input does not match the expected shape.");
  else if (value["type"] === undefined) {
    throw new ShapeError([...path, "type"], { type: "missing" });
  } else {
    oneOf("object")(value["type"], [...path, "type"]);
    if (value["required"] !== undefined) list(string)(value["required"], [...path, "required"]);
  }
}

/** Whether the provider runs it, of whatever else it consists. */
export function isServerTool(value: unknown): boolean {
  return isObject(value) && typeof value["type"] === "string" && value["type"] !== "custom";
}

/** Tools that the provider runs are taken as they are; this server never calls them. */
function tool(value: unknown, path: Path): void {
  if (isServerTool(value)) anyObject(value, path);
  else customTool(value, [...path, "custom"]);
}

const parallel: Fields = { disable_parallel_tool_use: boolean };
const thinkingDisplay: Fields = { display: oneOf("summarized", "omitted", null) };

const request = object(
  {
    model: text(/\S/),
    max_tokens: integer(1),
    messages: list(
      object({
        role: oneOf("user", "assistant", "system"),
        content: stringOr(list(block)),
      }),
    ),
  },
  {
    system: stringOr(list(tagged("type", { text: textBlock }))),
    tools: list(tool),
    tool_choice: tagged("type", {
      auto: object({ type }, parallel),
      any: object({ type }, parallel),
      tool: object({ type, name: string }, parallel),
      none: object({ type }),
    }),
    thinking: tagged("type", {
      enabled: object({ type, budget_tokens: integer(MIN_THINKING_TOKENS) }, thinkingDisplay),
      adaptive: object({ type }, thinkingDisplay),
      between_tools: object({ type }, thinkingDisplay),
      disabled: object({ type }),
    }),
    stop_sequences: list(text(/\S/)),
    metadata: object({}, { user_id: nullable(string) }),
    output_config: anyObject,
    service_tier: oneOf("auto", "standard_only"),
    cache_control: cacheControl,
    diagnostics: anyObject,
    container: anything,
    inference_geo: nullable(string),
    speed: oneOf("standard", "fast", null),
    stream: boolean,
    temperature: number,
    top_p: number,
    top_k: number,
  },
);

/**
 * Checks the body of a request as the provider does.
 *
 * @throws Refusal, ShapeError for what the provider refuses
 */
export function checkRequest(body: unknown, version: string): MessagesRequest {
  request(body, []);
  // `request` has checked every field that the type declares.
  const checked = body as MessagesRequest;
  checkSampling(body as Readonly<Record<string, unknown>>, version);
  checkTools(checked);
  checkThinking(checked);
  checkCacheMarks(checked);
  checkMessages(checked);
  return checked;
}

function checkSampling(body: Readonly<Record<string, unknown>>, version: string): void {
  for (const name of ["temperature", "top_p", "top_k"]) {
    if (body[name] === undefined) continue;
    if (version === VERSION_WITHOUT_SAMPLING) refuse(name, "Extra inputs are not permitted");
    if (name !== "top_k" && (Number(body[name]) < 0 || Number(body[name]) > 1)) {
      refuse(name, "range: 0..1");
    }
  }
}

function checkTools({ tools = [], tool_choice: choice }: MessagesRequest): void {
  const names = tools.map((declared) => declared.name);
  if (new Set(names).size < names.length) refuse("tools", "Tool names must be unique.");
  if (choice === undefined) return;
  if (tools.length === 0) refuse("tool_choice", "may only be specified while providing tools");
  if (choice.type === "tool" && !names.includes(choice.name ?? "")) {
    refuse("tool_choice", `Tool '${choice.name}' not found in provided tools`);
  }
}

function checkThinking(checked: MessagesRequest): void {
  const { thinking, tool_choice: choice } = checked;
  if (thinking?.type !== "enabled") return;
  if ((thinking.budget_tokens ?? 0) >= checked.max_tokens) {
    refuse("max_tokens", "must be greater than thinking.budget_tokens");
  }
  if (choice?.type === "any" || choice?.type === "tool") {
    refuse("thinking", "may not be enabled when tool_choice forces tool use");
  }
}

/** The cache marks anywhere in the request: at most four, a long life never after a short one. */
function checkCacheMarks(checked: MessagesRequest): void {
  const { tools, system, messages, cache_control: automatic } = checked;
  const lifetimes = [...collectMarks(tools), ...collectMarks(system), ...collectMarks(messages)];
  const count = lifetimes.length + (automatic ? 1 : 0);
  if (count > MAX_CACHE_MARKS) {
    refuse(
      "cache_control",
      `A maximum of 4 blocks with cache_control may be provided. Found ${count}.`,
    );
  }
  if (lifetimes.lastIndexOf("1h") > lifetimes.indexOf("5m") && lifetimes.includes("5m")) {
    refuse("cache_control", "a ttl='1h' block must not come after a ttl='5m' block");
  }
}

function collectMarks(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(collectMarks);
  if (!isObject(value)) return [];
  const mark = value["cache_control"];
  const own = isObject(mark) ? [mark["ttl"] === "1h" ? "1h" : "5m"] : [];
  return [...collectMarks(value["content"]), ...own];
}
