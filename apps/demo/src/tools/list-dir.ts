import { defineTool, type Tool } from "llm-worker";
import * as z from "zod";
import type { Confined, Entry } from "./confined.js";

/** `list_dir`: the names in one folder, with their sizes. */
export function createListDirTool(confined: Confined): Tool {
  return defineTool({
    name: "list_dir",
    description: "Lists the files and folders in a folder, one per line, files with their size.",
    input: z.object({ path: z.string().default(".").describe("Relative; default: the root.") }),
    execute: async ({ path }) => {
      const entries = await confined.entries(await confined.locate(path));
      return entries.length === 0 ? "(the folder is empty)" : entries.map(toRow).join("\n");
    },
  });
}

function toRow({ name, type, byteCount }: Entry): string {
  switch (type) {
    case "directory":
      return `${name}/`;
    case "link":
      return `${name} (symbolic link)`;
    case "other":
      return `${name} (not a file)`;
    case "file":
      return byteCount === undefined ? name : `${name} (${byteCount} bytes)`;
  }
}
