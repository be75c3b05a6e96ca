// Deep Agents: a tool gives its result as one string, so a stream is collected first.
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ToolMessage } from "@langchain/core/messages";
import { createFilesystemMiddleware, FilesystemBackend } from "deepagents";
import { serveCalls } from "../dist/harness/child.js";
import { measureUsage } from "../dist/harness/usage.js";
import { holdsStream } from "../dist/stream/holds-stream.js";
import { PieceStream } from "../dist/stream/pieces.js";

/** @typedef {import("../dist/stream/stream-child.js").StreamJob} StreamJob */

serveCalls({
  /** @param {StreamJob} job */
  evict: async ({ byteCount, directory }) => {
    const pieces = new PieceStream(byteCount);
    const backend = new FilesystemBackend({ rootDir: directory, virtualMode: true });
    const { wrapToolCall } = createFilesystemMiddleware({ backend });
    if (wrapToolCall === undefined) throw new Error("the middleware does not wrap tool calls");
    const toolCall = { id: "call-1", name: "run", args: {} };
    const request = /** @type {any} */ ({ toolCall, state: { messages: [] }, runtime: {} });
    globalThis.gc?.();
    const { usage } = await measureUsage(() =>
      wrapToolCall(request, async () => {
        let content = "";
        const decoder = new TextDecoder();
        for await (const piece of pieces.chunks()) {
          content += decoder.decode(piece, { stream: true });
        }
        return new ToolMessage({ content, tool_call_id: toolCall.id, name: toolCall.name });
      }),
    );
    const evicted = join(directory, "large_tool_results");
    const [name = "nothing"] = await readdir(evicted);
    if (!(await holdsStream(join(evicted, name), pieces))) throw new Error("not the same bytes");
    await rm(evicted, { recursive: true });
    return {
      ms: usage.wallMs,
      "CPU ms": usage.cpuMs,
      "added RSS MB": usage.addedRssMb,
      "process RSS MB": usage.peakRssMb,
    };
  },
});
