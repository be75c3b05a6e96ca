import type { DeclaredTool, ToolCall, ToolResult } from "../../src/model-view.js";
import { inspectBlob } from "./inspect-blob.js";

const INLINE_MAX_BYTES = 800;

/** Files, the tools of a demo over them, and a store for large results, all in memory. */
export interface Workspace {
  readonly tools: readonly DeclaredTool[];
  /** May be changed between calls. */
  readonly files: Map<string, string>;
  readonly blobs: Map<string, string>;
  /** Runs a call as a worker would, storing what is large. */
  run(call: { readonly name: string; readonly input: unknown }): ToolResult;
}

/** The tools that the demo declares. */
export const demoTools: readonly DeclaredTool[] = [
  tool("read_file", "Reads a file.", { path: "string" }, ["path"]),
  tool("grep", "Searches all files for a text.", { pattern: "string", path: "string" }, [
    "pattern",
  ]),
  tool("list_dir", "Lists a directory.", { path: "string" }, ["path"]),
  tool("inspect", "Reads a stored tool output.", { blob_id: "string", selector: "string" }, [
    "blob_id",
  ]),
];

export function tool(
  name: string,
  description: string,
  properties: Readonly<Record<string, string>>,
  required: readonly string[],
): DeclaredTool {
  const entries = Object.entries(properties).map(([key, type]) => [key, { type }]);
  const inputSchema = { type: "object", properties: Object.fromEntries(entries), required };
  return { name, description, inputSchema };
}

export function createWorkspace(files: Readonly<Record<string, string>>): Workspace {
  let storedCount = 0;
  const workspace = {
    tools: demoTools,
    files: new Map(Object.entries(files)),
    blobs: new Map<string, string>(),
    run(call: ToolCall): ToolResult {
      const result = runTool(workspace, call);
      if (call.name === "inspect" || result.isError) return result;
      if (Buffer.byteLength(result.text) <= INLINE_MAX_BYTES) return result;
      storedCount++;
      const id = `0192-${storedCount}`;
      workspace.blobs.set(id, result.text);
      return { text: summarise(id, result.text), isError: false };
    },
  };
  return workspace as Workspace;
}

function runTool({ files, blobs }: Workspace, { name, input }: ToolCall): ToolResult {
  const text = (key: string): string => {
    const value = input[key];
    return typeof value === "string" ? value : "";
  };
  switch (name) {
    case "read_file": {
      const content = files.get(text("path"));
      if (content !== undefined) return { text: content, isError: false };
      return { text: `ENOENT: no such file: ${text("path")}`, isError: true };
    }
    case "grep": {
      const hits = [...files].flatMap(([path, content]) =>
        content
          .split("\n")
          .flatMap((line, index) =>
            line.includes(text("pattern")) ? [`${path}:${index + 1}: ${line}`] : [],
          ),
      );
      return { text: hits.length > 0 ? hits.join("\n") : "no matches", isError: false };
    }
    case "list_dir":
      return { text: [...files.keys()].join("\n"), isError: false };
    case "inspect":
      return inspectBlob(text("blob_id"), blobs.get(text("blob_id")), text("selector"));
    default:
      return { text: `unknown tool ${name}`, isError: true };
  }
}

function summarise(id: string, text: string): string {
  const bytes = `${Buffer.byteLength(text)} bytes`;
  const value = parse(text);
  if (Array.isArray(value)) {
    const first: unknown = value[0];
    const types = Object.entries(first ?? {}).map(([key, part]) => `${key}: ${typeof part}`);
    const head = value.slice(0, 2).map((entry) => JSON.stringify(entry));
    return `[blob:${id}] json_array | ${value.length} entries | ${bytes}\n── schema ──\n${types.join(", ")}\n── head ──\n${head.join("\n")}`;
  }
  if (typeof value === "object" && value !== null) {
    const keys = Object.entries(value).map(([key, part]) => `${key}: ${sizeOf(part)}`);
    const shown = keys.length > 8 ? [...keys.slice(0, 4), `… +${keys.length - 4} more`] : keys;
    return `[blob:${id}] json_object | ${keys.length} keys | ${bytes}\n── keys ──\n${shown.join(", ")}`;
  }
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const short = (line: string): string => (line.length > 40 ? `${line.slice(0, 40)}…` : line);
  const head = lines.slice(0, 5).map(short).join("\n");
  const tail = lines.slice(-3).map(short).join("\n");
  return `[blob:${id}] text | ${lines.length} lines | ${bytes}\n── head ──\n${head}\n── tail ──\n${tail}`;
}

function sizeOf(value: unknown): string {
  if (Array.isArray(value)) return `array(${value.length})`;
  if (typeof value === "string") return `string(${value.length})`;
  return typeof value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The input of a call whose arguments came as text. */
export function inputOf(json: string): unknown {
  return JSON.parse(json);
}
