import {
  checkFunction,
  FUNCTION_NAME,
  MAX_FUNCTION_NAME_LENGTH,
  MAX_TOOLS,
} from "../openai/check-function.js";
import { refuse } from "../openai/refuse.js";
import {
  allNullable,
  anyObject,
  anything,
  boolean,
  filledList,
  integer,
  list,
  nullable,
  numberIn,
  object,
  oneOf,
  type Shape,
  string,
  stringOr,
  tagged,
  text,
  textUpTo,
} from "../shape.js";
import { checkMessages } from "./check-messages.js";
import type { ChatRequest } from "./request-types.js";

const MAX_CALL_ID_LENGTH = 40;
const MAX_STOP_SEQUENCES = 4;

const type: Shape = anything;
const role: Shape = anything;
const functionName = text(FUNCTION_NAME, MAX_FUNCTION_NAME_LENGTH);

const textPart = object({ type, text: string }, { prompt_cache_breakpoint: anything });
const texts = stringOr(filledList(tagged("type", { text: textPart })));
const userParts = stringOr(
  filledList(
    tagged("type", {
      text: textPart,
      image_url: object({ type, image_url: anyObject }, { prompt_cache_breakpoint: anything }),
      input_audio: object({ type, input_audio: anyObject }, { prompt_cache_breakpoint: anything }),
      file: object({ type, file: anyObject }, { prompt_cache_breakpoint: anything }),
    }),
  ),
);
const assistantParts = stringOr(
  filledList(tagged("type", { text: textPart, refusal: object({ type, refusal: string }) })),
);

const toolCall = tagged("type", {
  function: object({
    id: textUpTo(MAX_CALL_ID_LENGTH),
    type,
    function: object({ name: functionName, arguments: string }),
  }),
});

const message = tagged("role", {
  system: object({ role, content: texts }, { name: string }),
  developer: object({ role, content: texts }, { name: string }),
  user: object({ role, content: userParts }, { name: string }),
  assistant: object(
    { role },
    allNullable({
      content: assistantParts,
      refusal: string,
      name: string,
      audio: anyObject,
      tool_calls: filledList(toolCall),
    }),
  ),
  tool: object({ role, content: texts, tool_call_id: string }),
});

const tool = tagged("type", {
  function: object({
    type,
    function: object(
      { name: functionName },
      { description: string, parameters: anyObject, strict: nullable(boolean) },
    ),
  }),
  custom: object({ type, custom: anyObject }),
});

const toolChoice: Shape = (value, path) => {
  if (typeof value === "string") return oneOf("none", "auto", "required")(value, path);
  return tagged("type", {
    function: object({ type, function: object({ name: string }) }),
    custom: object({ type, custom: anyObject }),
    allowed_tools: object({
      type,
      allowed_tools: object({ mode: oneOf("auto", "required"), tools: list(anyObject) }),
    }),
  })(value, path);
};

const request = object(
  { model: text(/\S/), messages: filledList(message) },
  allNullable({
    tools: filledList(tool, MAX_TOOLS),
    tool_choice: toolChoice,
    parallel_tool_calls: boolean,
    max_completion_tokens: integer(1),
    max_tokens: integer(1),
    reasoning_effort: oneOf("none", "minimal", "low", "medium", "high", "xhigh", "max"),
    verbosity: oneOf("low", "medium", "high"),
    response_format: tagged("type", {
      text: object({ type }),
      json_object: object({ type }),
      json_schema: object({
        type,
        json_schema: object(
          { name: functionName },
          { description: string, schema: anyObject, strict: nullable(boolean) },
        ),
      }),
    }),
    stop: stringOr(filledList(string, MAX_STOP_SEQUENCES)),
    // One answer is all that this server gives.
    n: integer(1, 1),
    temperature: numberIn(0, 2),
    top_p: numberIn(0, 1),
    frequency_penalty: numberIn(-2, 2),
    presence_penalty: numberIn(-2, 2),
    seed: integer(),
    logit_bias: anyObject,
    logprobs: boolean,
    top_logprobs: integer(0, 20),
    stream: boolean,
    stream_options: object({}, { include_usage: boolean, include_obfuscation: boolean }),
    store: boolean,
    metadata: anyObject,
    service_tier: oneOf("auto", "default", "flex", "scale", "priority"),
    user: string,
    safety_identifier: textUpTo(64),
    prompt_cache_key: string,
    prompt_cache_options: anyObject,
    prompt_cache_retention: oneOf("in_memory", "24h"),
    prediction: anyObject,
    modalities: list(oneOf("text", "audio")),
    audio: anyObject,
    web_search_options: anyObject,
    moderation: anyObject,
  }),
);

/**
 * Checks the body of a request as the provider does.
 *
 * @throws Refusal, ShapeError for what the provider refuses
 */
export function checkRequest(body: unknown): ChatRequest {
  request(body, []);
  // `request` has checked every field that the type declares.
  const checked = body as ChatRequest;
  checkOptions(checked);
  checkTools(checked);
  checkMessages(checked.messages);
  return checked;
}

function checkOptions(checked: ChatRequest): void {
  if (checked.stream_options && checked.stream !== true) {
    refuse(
      "stream_options",
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    );
  }
  if (checked.max_tokens && checked.max_completion_tokens) {
    refuse(
      "max_tokens",
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
    );
  }
}

function checkTools(checked: ChatRequest): void {
  const { tools, tool_choice: choice, parallel_tool_calls: parallel } = checked;
  if (!tools) {
    const isChosen = choice !== undefined && choice !== null && choice !== "none";
    if (isChosen) refuseWithoutTools("tool_choice");
    if (typeof parallel === "boolean") refuseWithoutTools("parallel_tool_calls");
    return;
  }
  tools.forEach((declared, index) => {
    if (declared.function) checkFunction(declared.function, `tools[${index}].function`);
  });
  if (typeof choice !== "object" || choice?.type !== "function") return;
  const { name } = choice.function;
  if (tools.some((declared) => declared.function?.name === name)) return;
  refuse("tool_choice", `Tool choice '${name}' not found in 'tools' parameter.`);
}

function refuseWithoutTools(name: string): never {
  return refuse(
    name,
    `Invalid value for '${name}': '${name}' is only allowed when 'tools' are specified.`,
  );
}
