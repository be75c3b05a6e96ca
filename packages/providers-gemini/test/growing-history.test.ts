import { testGrowingHistory } from "@llm-worker/wire-testing";
import type { Item } from "llm-worker";
import { GeminiScheme } from "../src/scheme.js";
import { MODEL, opaque, ownCall, signedText, thought } from "./history.js";

const serverCall = (id: string): Item => opaque({ toolCall: { id } });
const serverResponse = (id: string): Item => opaque({ toolResponse: { id } });

testGrowingHistory(
  "gemini",
  () => new GeminiScheme({ model: MODEL }),
  [signedText("a", "c2ln"), thought({ thoughtSignature: "c2ln" }), ownCall("1", { id: "g1" })],
  [serverCall("s1"), serverCall("s2"), serverResponse("s1"), serverResponse("s2")],
);
