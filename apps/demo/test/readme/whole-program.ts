import { createReadStream } from "node:fs";
import { anthropic } from "@llm-worker/providers-anthropic";
import { defineTool, Worker } from "llm-worker";
import { FsBlobStore } from "llm-worker-persistence";
import * as z from "zod";

const readLog = defineTool({
  name: "read_log",
  description: "Reads the service log.",
  input: z.object({}),
  execute: () => createReadStream("service.log"), // any size: it is stored while it is read
});

const worker = new Worker({
  provider: anthropic({ model: "claude-sonnet-5" }),
  store: new FsBlobStore("./blobs"), // registers `inspect`
  tools: [readLog],
});

const { text, usage } = await worker.run("What happened to request 7f3a?");
console.log(text, usage);
