import {
  hasSharedData,
  type Json,
  named,
  recordedRequest,
  recordings,
  requestJudge,
  skippedWhen,
} from "@llm-worker/wire-testing";
import { describe, expect, test } from "vitest";
import { OllamaScheme } from "../src/scheme.js";
import { messagesOf, requestFromWire } from "./from-wire.js";

const recorded = recordings("ollama").filter(({ request }) => request);

describe.skipIf(!hasSharedData)(
  `recorded conversations are sent as they were${skippedWhen}`,
  () => {
    test.for(named(recorded))("%s", async ([, recording]) => {
      const judge = await requestJudge("ollama");
      // The shared data keeps to the form that its own description gives.
      const body = recordedRequest(recording) as Json;
      const { request, options } = requestFromWire(body);
      const built = JSON.parse(
        String(new OllamaScheme(options).buildRequest(request).body),
      ) as Json;
      expect(messagesOf(built).map(withoutId)).toEqual(messagesOf(body).map(withoutId));
      expect(built["tools"] ?? []).toEqual(toolsOf(body));
      expect(built["options"] ?? {}).toEqual(body["options"] ?? {});
      expect(built["think"]).toEqual(body["think"]);
      expect(judge(built)).toMatchObject({ valid: true, errors: [], warnings: [] });
    });
  },
);

/** Recorded clients left out the id of a result. */
function withoutId({ tool_call_id: _id, ...message }: Json): Json {
  return message;
}

/** The server passes over the name of the schema's dialect. */
function toolsOf(body: Json): unknown {
  const tools = (body["tools"] ?? []) as readonly Json[];
  return tools.map((tool) => {
    const called = tool["function"] as Json;
    const { $schema: _dialect, ...parameters } = called["parameters"] as Json;
    return { ...tool, function: { ...called, parameters } };
  });
}
