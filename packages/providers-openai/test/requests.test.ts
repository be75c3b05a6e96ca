import {
  hasSharedData,
  type Json,
  named,
  recordedRequest,
  type RecordedWire,
  type Recording,
  recordings,
  requestJudge,
  skippedWhen,
} from "@llm-worker/wire-testing";
import { describe, expect, test } from "vitest";
import { OpenAIChatScheme } from "../src/chat/scheme.js";
import { OpenAIResponsesScheme } from "../src/responses/scheme.js";
import * as chat from "./from-chat.js";
import * as responses from "./from-responses.js";

/** Conversations that are not written as they were. */
const SAID_OTHERWISE: ReadonlySet<string> = new Set([
  // Mistral's own parts for audio and documents.
  "rig-mistral-streaming-agent-sends-audio",
  "rig-mistral-streaming-agent-reads-an-attached-pdf",
  // A call id of 46 characters, where OpenAI takes 40 (C13).
  "error-reqllm-mistralai-devstral-small-2505-tool-round-trip-2",
]);

const chatRecordings = recorded("openai-chat");
const responsesRecordings = recorded("openai-responses");

describe.skipIf(!hasSharedData)(
  `recorded Chat conversations are sent as they were${skippedWhen}`,
  () => {
    test.for(named(chatRecordings))("%s", async ([, recording]) => {
      const body = recordedRequest(recording) as Json;
      const scheme = new OpenAIChatScheme({
        model: String(body["model"]),
        systemRole: chat.systemRole(body),
        strictTools: chat.strictNames(body),
      });
      const built = JSON.parse(
        String(scheme.buildRequest(chat.requestFromChat(body)).body),
      ) as Json;
      expect(built["messages"]).toEqual(chat.plainMessages(body));
      const isOwn = !recording.features.includes("dk:reasoning_content");
      const judge = await requestJudge(isOwn ? "openai-chat" : "openai-compat");
      expect(judge(built).errors).toEqual([]);
    });
  },
);

describe.skipIf(!hasSharedData)(
  `recorded Responses conversations are sent as they were${skippedWhen}`,
  () => {
    test.for(named(responsesRecordings))("%s", async ([, recording]) => {
      const judge = await requestJudge("openai-responses");
      const body = recordedRequest(recording) as Json;
      const scheme = new OpenAIResponsesScheme({
        model: String(body["model"]),
        strictTools: responses.strictNames(body),
      });
      const request = responses.requestFromResponses(body);
      const built = JSON.parse(String(scheme.buildRequest(request).body)) as Json;
      expect(responses.plainInput(built)).toEqual(responses.plainInput(body));
      expect(built["instructions"]).toBe(responses.systemText(body));
      expect(judge(built).errors).toEqual([]);
    });
  },
);

function recorded(wire: RecordedWire): readonly Recording[] {
  return recordings(wire).filter(
    ({ name, request, status }) => request && status === 200 && !SAID_OTHERWISE.has(name),
  );
}
