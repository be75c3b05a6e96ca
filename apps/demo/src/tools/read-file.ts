import { defineTool, type Tool } from "llm-worker";
import * as z from "zod";
import { type Confined, readableSize, readChunks } from "./confined.js";

/** Reading and storing a file of many gigabytes takes its time. */
const TIMEOUT_MS = 3_600_000;

/** `read_file`: the whole file, streamed, whatever its size. */
export function createReadFileTool(confined: Confined): Tool {
  return defineTool({
    name: "read_file",
    description:
      "Reads a file, whole. A large one is stored and you get a summary of it; " +
      "an empty result is an empty file.",
    input: z.object({ path: z.string().describe("Relative to the folder.") }),
    timeoutMs: TIMEOUT_MS,
    execute: async ({ path }, { signal }) => {
      const place = await confined.locate(path);
      const byteCount = await readableSize(place);
      return byteCount === 0 ? "" : readChunks(place, signal);
    },
  });
}
