// Deep Agents: a tool result that is too large goes to its backend, and a preview stays.
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ToolMessage } from "@langchain/core/messages";
import { createFilesystemMiddleware, FilesystemBackend } from "deepagents";
import { serveCalls } from "../dist/harness/child.js";
import { measureUsage } from "../dist/harness/usage.js";
import { makeValue } from "../dist/promote/jobs.js";
import { fileHolds } from "../dist/samples/same-bytes.js";

/** @typedef {import("../dist/promote/jobs.js").StoreJob} StoreJob */

serveCalls({
  /** @param {StoreJob} job */
  FilesystemBackend: async (job) => {
    const backend = new FilesystemBackend({ rootDir: job.directory, virtualMode: true });
    const { figures, value } = await evict(job, { backend });
    const evicted = join(job.directory, "large_tool_results");
    for (const name of await readdir(evicted)) {
      if (!(await fileHolds(join(evicted, name), value))) throw new Error("not the same bytes");
    }
    await rm(evicted, { recursive: true });
    return figures;
  },

  /** @param {StoreJob} job */
  StateBackend: async (job) => {
    const { figures, value, results } = await evict(job, {});
    for (const { update } of results) {
      const [file] = Object.values(update?.files ?? {});
      const content = Array.isArray(file?.content) ? file.content.join("\n") : file?.content;
      if (content !== value) throw new Error("not the same text");
    }
    return figures;
  },
});

/** @type {{ name: string, value: string } | undefined} */
let made;

/**
 * @param {StoreJob} job
 * @param {Parameters<typeof createFilesystemMiddleware>[0]} options
 */
async function evict(job, options) {
  const name = `${job.kind} ${job.byteCount}`;
  if (made?.name !== name) made = { name, value: makeValue(job) };
  const { value } = made;
  const { wrapToolCall } = createFilesystemMiddleware(options);
  if (wrapToolCall === undefined) throw new Error("the middleware does not wrap tool calls");
  const state = { messages: [], files: {} };
  const results = /** @type {any[]} */ ([]);
  if (job.calls === 1) globalThis.gc?.();
  const { usage } = await measureUsage(async () => {
    for (let call = 0; call < job.calls; call += 1) {
      const toolCall = { id: `call-${call}`, name: "read_log", args: {} };
      const message = new ToolMessage({
        content: value,
        tool_call_id: toolCall.id,
        name: toolCall.name,
      });
      const request = /** @type {any} */ ({ toolCall, state, runtime: {} });
      results.push(await wrapToolCall(request, async () => message));
    }
  });
  if (results.some((result) => result.content === value)) throw new Error("not evicted");
  const memory = job.calls === 1 ? { "added RSS MB": usage.addedRssMb } : {};
  const figures = { ms: usage.wallMs / job.calls, "CPU ms": usage.cpuMs / job.calls, ...memory };
  return { figures, value, results };
}
