import { isObject } from "../../json.js";
import {
  checkFunction,
  FUNCTION_NAME,
  MAX_FUNCTION_NAME_LENGTH,
  MAX_TOOLS,
} from "../openai/check-function.js";
import { refusal, refuse } from "../openai/refuse.js";
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
  ShapeError,
  string,
  stringOr,
  tagged,
  text,
  textUpTo,
} from "../shape.js";
import { checkItems, refuseNotFound } from "./check-items.js";
import { itemsOf, type ResponsesRequest, type ToolParam } from "./request-types.js";

const MIN_OUTPUT_TOKENS = 16;
const MAX_ID_LENGTH = 64;

const type: Shape = anything;
const role: Shape = anything;
const functionName = text(FUNCTION_NAME, MAX_FUNCTION_NAME_LENGTH);
const callId = text(/\S/, MAX_ID_LENGTH);
const status = oneOf("in_progress", "completed", "incomplete", null);
const mark = { prompt_cache_breakpoint: anything };

const inputParts = {
  input_text: object({ type, text: string }, mark),
  input_image: object(
    { type },
    { image_url: nullable(string), file_id: nullable(string), detail: string, ...mark },
  ),
  input_file: anyObject,
};
const inputContent = stringOr(list(tagged("type", inputParts)));
const answerContent = stringOr(
  list(
    tagged("type", {
      output_text: object(
        { type, text: string },
        { annotations: list(anyObject), logprobs: list(anyObject) },
      ),
      refusal: object({ type, refusal: string }),
    }),
  ),
);

const messageFields = { type, id: nullable(textUpTo(MAX_ID_LENGTH)), status };
const message = tagged("role", {
  user: object({ role, content: inputContent }, messageFields),
  system: object({ role, content: inputContent }, messageFields),
  developer: object({ role, content: inputContent }, messageFields),
  assistant: object(
    { role, content: answerContent },
    { ...messageFields, phase: oneOf("commentary", "final_answer", null) },
  ),
});

const itemFields = { id: nullable(textUpTo(MAX_ID_LENGTH)), status };
const ownItems = {
  message,
  reasoning: object(
    {
      type,
      id: textUpTo(MAX_ID_LENGTH),
      summary: list(tagged("type", { summary_text: object({ type, text: string }) })),
    },
    { encrypted_content: nullable(string), content: nullable(list(anyObject)), status },
  ),
  function_call: object(
    { type, call_id: callId, name: functionName, arguments: string },
    { ...itemFields, caller: anything, namespace: nullable(string) },
  ),
  function_call_output: object(
    { type, call_id: callId, output: stringOr(list(tagged("type", inputParts))) },
    { ...itemFields, caller: anything, namespace: nullable(string), name: nullable(string) },
  ),
};
const otherItems = [
  "item_reference",
  "custom_tool_call",
  "custom_tool_call_output",
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "computer_call",
  "computer_call_output",
  "mcp_call",
  "mcp_list_tools",
  "mcp_approval_request",
  "mcp_approval_response",
  "compaction",
];
const typedItem = tagged("type", {
  ...ownItems,
  ...Object.fromEntries(otherItems.map((name) => [name, anyObject])),
});

/** An item without a type is a message. */
const inputItem: Shape = (value, path) => {
  const isUntyped = isObject(value) && value["type"] === undefined && value["role"] !== undefined;
  (isUntyped ? message : typedItem)(value, path);
};

const functionTool = object(
  { type, name: functionName },
  {
    parameters: nullable(anyObject),
    strict: nullable(boolean),
    description: nullable(string),
    defer_loading: boolean,
    allowed_callers: anything,
    output_schema: anything,
  },
);

/** Tools that the provider runs are taken as they are; this server never calls them. */
const tool: Shape = (value, path) => {
  const isHosted =
    isObject(value) && typeof value["type"] === "string" && value["type"] !== "function";
  (isHosted ? anyObject : tagged("type", { function: functionTool }))(value, path);
};

const toolChoice: Shape = (value, path) => {
  if (typeof value === "string") return oneOf("none", "auto", "required")(value, path);
  anyObject(value, path);
  const chosen = tagged("type", {
    function: object({ type, name: string }),
    allowed_tools: object({ type, mode: oneOf("auto", "required"), tools: list(anyObject) }),
  });
  const kind = isObject(value) ? value["type"] : undefined;
  if (kind === "function" || kind === "allowed_tools" || kind === undefined) chosen(value, path);
};

const request = object(
  { model: text(/\S/) },
  allNullable({
    input: stringOr(list(inputItem)),
    instructions: string,
    tools: list(tool, MAX_TOOLS),
    tool_choice: toolChoice,
    parallel_tool_calls: boolean,
    max_output_tokens: integer(MIN_OUTPUT_TOKENS),
    max_tool_calls: integer(1),
    reasoning: object(
      {},
      allNullable({
        effort: oneOf("none", "minimal", "low", "medium", "high", "xhigh", "max"),
        summary: oneOf("auto", "concise", "detailed"),
        generate_summary: oneOf("auto", "concise", "detailed"),
        context: oneOf("auto", "current_turn", "all_turns"),
        mode: string,
      }),
    ),
    include: list(
      oneOf(
        "file_search_call.results",
        "web_search_call.results",
        "web_search_call.action.sources",
        "message.input_image.image_url",
        "computer_call_output.output.image_url",
        "code_interpreter_call.outputs",
        "reasoning.encrypted_content",
        "message.output_text.logprobs",
      ),
    ),
    store: boolean,
    background: boolean,
    previous_response_id: string,
    conversation: anything,
    prompt: anyObject,
    stream: boolean,
    stream_options: object({}, { include_obfuscation: boolean }),
    text: object({}, { format: anyObject, verbosity: oneOf("low", "medium", "high", null) }),
    temperature: numberIn(0, 2),
    top_p: numberIn(0, 1),
    top_logprobs: integer(0, 20),
    truncation: oneOf("auto", "disabled"),
    metadata: anyObject,
    service_tier: oneOf("auto", "default", "flex", "scale", "priority"),
    user: string,
    safety_identifier: textUpTo(MAX_ID_LENGTH),
    prompt_cache_key: string,
    prompt_cache_options: anyObject,
    prompt_cache_retention: oneOf("in_memory", "24h"),
    context_management: filledList(anyObject),
    moderation: anyObject,
  }),
);

/**
 * Checks the body of a request as the provider does, if that keeps nothing of earlier requests.
 *
 * @throws Refusal, ShapeError for what the provider refuses
 */
export function checkRequest(body: unknown): ResponsesRequest {
  request(body, []);
  // `request` has checked every field that the type declares; a missing input is refused below.
  const checked = body as ResponsesRequest;
  checkState(checked);
  checkTools(checked);
  const items = itemsOf(checked.input);
  for (const item of items) {
    // A reference has an id and nothing else.
    if (String(item.type) === "item_reference") refuseNotFound(item.id ?? "");
  }
  checkItems(items, checked.store === false);
  return checked;
}

function checkState(checked: ResponsesRequest): void {
  const { previous_response_id: previous, conversation, background, input } = checked;
  if (typeof previous === "string") {
    refuse(
      "previous_response_id",
      `Previous response with id '${previous}' not found.`,
      "previous_response_not_found",
    );
  }
  if (conversation) {
    throw refusal(404, "Conversation not found.", { param: "conversation" });
  }
  if (background === true) {
    refuse("background", "Background mode is not available here.", "unsupported_parameter");
  }
  if (input === undefined || input === null) {
    throw new ShapeError(["input"], { type: "missing" });
  }
  if (checked.stream_options && checked.stream !== true) {
    refuse(
      "stream_options",
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    );
  }
}

function checkTools({ tools, tool_choice: choice }: ResponsesRequest): void {
  const declared = tools ?? [];
  declared.forEach((entry, index) => {
    if (isFunction(entry)) checkFunction(entry, `tools[${index}]`);
  });
  const isChosen =
    choice !== undefined && choice !== null && choice !== "none" && choice !== "auto";
  if (declared.length === 0 && isChosen) {
    refuse(
      "tool_choice",
      "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
    );
  }
  if (typeof choice !== "object" || choice?.type !== "function") return;
  if (declared.some((entry) => entry.name === choice.name)) return;
  refuse("tool_choice", `Tool choice '${choice.name}' not found in 'tools' parameter.`);
}

function isFunction(entry: ToolParam): entry is ToolParam & { readonly name: string } {
  return entry.type === "function";
}
