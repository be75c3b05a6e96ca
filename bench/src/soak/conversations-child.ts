import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "llm-worker";
import { FsBlobStore } from "llm-worker-persistence";
import { serveCalls } from "../harness/child.js";
import { type ConversationsRequest, converseAll } from "./converse-all.js";
import { createReadFileTool } from "./files.js";
import { createProviders } from "./wires.js";

/** Anthropic and both of OpenAI, on which the rival's tool results look as ours do. */
const WIRE_COUNT = 3;

serveCalls({
  async converse(request: ConversationsRequest): Promise<number> {
    const providers = createProviders(request.url).slice(0, WIRE_COUNT);
    const directory = await mkdtemp(join(tmpdir(), "llm-worker-soak-"));
    try {
      const store = new FsBlobStore(directory);
      return await converseAll(request, (number) => {
        const provider = providers[number % providers.length];
        if (provider === undefined) throw new RangeError("no providers");
        const worker = new Worker({
          provider,
          store,
          tools: [createReadFileTool()],
          systemPrompt: "You answer questions about files.",
        });
        return async (question) => {
          const stream = worker.stream(question);
          for await (const event of stream) if (event.type === "run_end") break;
          return (await stream.result).text;
        };
      });
    } finally {
      await rm(directory, { recursive: true });
    }
  },
});
