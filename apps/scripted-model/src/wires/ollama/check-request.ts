import {
  anyObject,
  anything,
  boolean,
  integer,
  list,
  number,
  oneOf,
  openObject,
  type Shape,
  string,
  stringOr,
  text,
} from "../shape.js";
import { withoutNulls } from "../nulls.js";
import { pairResults } from "./pair-results.js";
import type { ChatRequest } from "./request-types.js";

const message = openObject(
  { role: oneOf("system", "user", "assistant", "tool") },
  {
    content: string,
    thinking: string,
    images: list(string),
    tool_calls: list(
      openObject(
        {
          function: openObject({ name: text(/\S/), arguments: anyObject }, { index: integer() }),
        },
        { id: string },
      ),
    ),
    tool_name: string,
    tool_call_id: string,
  },
);

const tool = openObject({
  type: oneOf("function"),
  function: openObject({ name: text(/\S/), parameters: anyObject }, { description: string }),
});

const think: Shape = (value, path) => {
  if (typeof value !== "boolean") oneOf("high", "medium", "low", "max")(value, path);
};

const FREE_FIELDS: ReadonlySet<string> = new Set(["arguments", "parameters", "format"]);

/** Fields that it does not know are not looked at, as in the original. */
const request = openObject(
  { model: text(/\S/) },
  {
    messages: list(message),
    tools: list(tool),
    think,
    stream: boolean,
    format: stringOr(anyObject),
    keep_alive: anything,
    truncate: boolean,
    shift: boolean,
    options: openObject(
      {},
      {
        num_ctx: integer(),
        num_predict: integer(),
        temperature: number,
        top_p: number,
        top_k: integer(),
        seed: integer(),
        stop: stringOr(list(string)),
      },
    ),
  },
);

/**
 * Checks the body of a request as the server does, and that calls and results belong together, which
 * the server leaves to the model.
 *
 * @throws Refusal, ShapeError for what is refused
 */
export function checkRequest(body: unknown): ChatRequest {
  const given = withoutNulls(body, FREE_FIELDS);
  request(given, []);
  // `request` has checked every field that the type declares.
  const checked = given as ChatRequest;
  pairResults(checked.messages ?? []);
  return checked;
}
