/** What the programs of the READMEs take for granted. */
import { anthropic } from "@llm-worker/providers-anthropic";
import type { Provider, Tool } from "llm-worker";
import { type BlobStore, FsBlobStore } from "llm-worker-persistence";

export const provider: Provider = anthropic({ model: "claude-sonnet-5" });
export const tools: readonly Tool[] = [];
export const currentToken = async (): Promise<string> => "a token that changes";
export const store: BlobStore = new FsBlobStore("./agent-data");
