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
import { GeminiScheme } from "../src/scheme.js";
import { contentsOf, requestFromWire, settingsOf } from "./from-wire.js";

const recorded = recordings("gemini").filter(({ request, status }) => request && status === 200);

describe.skipIf(!hasSharedData)(
  `recorded conversations are sent as they were${skippedWhen}`,
  () => {
    test.for(named(recorded))("%s", async ([, recording]) => {
      const judge = await requestJudge("gemini");
      // The shared data keeps to the form that its own description gives.
      const body = recordedRequest(recording) as Json;
      const { request, options } = requestFromWire(body, recording.model);
      const built = JSON.parse(
        String(new GeminiScheme(options).buildRequest(request).body),
      ) as Json;
      expect(contentsOf(built)).toEqual(contentsOf(body));
      expect(settingsOf(built)).toEqual(settingsOf(body));
      const { model } = recording;
      expect(judge(built, { model })).toMatchObject({ valid: true, errors: [], warnings: [] });
    });
  },
);
