import { testGrowingHistory } from "@llm-worker/wire-testing";
import type { Item } from "llm-worker";
import { AnthropicScheme } from "../src/scheme.js";
import { MODEL, opaque, thought } from "./history.js";

const serverUse = (id: string): Item =>
  opaque({ type: "server_tool_use", id, name: "web_search", input: { query: "x" } });
const serverResult = (id: string): Item =>
  opaque({ type: "web_search_tool_result", tool_use_id: id, content: [] });

testGrowingHistory(
  "anthropic",
  () => new AnthropicScheme({ model: MODEL }),
  [thought("c2ln"), thought("c2ln", "claude-other"), opaque({ type: "other" })],
  [serverUse("s1"), serverUse("s2"), serverResult("s1"), serverResult("s2")],
);
