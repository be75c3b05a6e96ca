import { testGrowingHistory } from "@llm-worker/wire-testing";
import { OllamaScheme } from "../src/scheme.js";
import { MODEL, thought } from "./history.js";

testGrowingHistory("ollama", () => new OllamaScheme({ model: MODEL }), [
  thought(),
  thought("another-model"),
]);
