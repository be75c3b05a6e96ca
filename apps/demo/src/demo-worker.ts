import { type Provider, Worker } from "llm-worker";
import type { BlobStoreLike } from "llm-worker/blob";
import type { Confined } from "./tools/confined.js";
import { createGrepTool } from "./tools/grep.js";
import { createListDirTool } from "./tools/list-dir.js";
import { createReadFileTool } from "./tools/read-file.js";

/** What a worker of the demo is made of. */
export interface DemoWorkerOptions {
  readonly provider: Provider;
  readonly store: BlobStoreLike;
  readonly confined: Confined;
}

/** A question takes a handful of turns; a model that goes in circles is stopped. */
const MAX_TURNS = 40;

const SYSTEM_PROMPT =
  "You answer questions about files. Read them with the tools; paths are relative to the folder " +
  "that the tools see. A large output is stored and you get its summary: look with inspect at the " +
  "parts that matter, and search before you page. Answer briefly and quote what you rely on.";

/** The library as anybody would use it: a provider, three tools and a store. */
export function createDemoWorker({ provider, store, confined }: DemoWorkerOptions): Worker {
  return new Worker({
    provider,
    store,
    tools: [createReadFileTool(confined), createGrepTool(confined), createListDirTool(confined)],
    systemPrompt: SYSTEM_PROMPT,
    limits: { maxTurns: MAX_TURNS },
  });
}
