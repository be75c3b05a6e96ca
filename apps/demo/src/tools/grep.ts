import { defineTool, type Tool } from "llm-worker";
import * as z from "zod";
import { type Confined, PathError, type Place, readChunks } from "./confined.js";
import { findMatches } from "./find-matches.js";

/** Folders that hold no answers, only copies of them. */
const SKIPPED_DIRECTORIES: ReadonlySet<string> = new Set([".git", "node_modules"]);
const TIMEOUT_MS = 3_600_000;

/** `grep`: lines with a literal text, in one file or in all files below a folder, streamed. */
export function createGrepTool(confined: Confined): Tool {
  return defineTool({
    name: "grep",
    description:
      "Finds lines that contain a text (literal, case matters) in a file, or in all files below " +
      "a folder except .git and node_modules. Answers path:line: text; a long line is cut with ….",
    input: z.object({
      pattern: z.string().min(1).describe("The literal text."),
      path: z.string().default(".").describe("File or folder, relative; default: the root."),
    }),
    timeoutMs: TIMEOUT_MS,
    execute: async ({ pattern, path }, { signal }) => {
      const start = await confined.locate(path);
      return new Grep(confined, pattern, signal).run(start);
    },
  });
}

/** One search. What cannot be searched is told at the end, it does not stop the rest. */
class Grep {
  readonly #confined: Confined;
  readonly #pattern: string;
  readonly #signal: AbortSignal;
  readonly #problems: string[] = [];
  #matchCount = 0;
  #fileCount = 0;

  constructor(confined: Confined, pattern: string, signal: AbortSignal) {
    this.#confined = confined;
    this.#pattern = pattern;
    this.#signal = signal;
  }

  async *run(start: Place): AsyncGenerator<string> {
    yield* this.#searchPath(start.name);
    if (this.#matchCount === 0) {
      const files = this.#fileCount === 1 ? "1 file" : `${this.#fileCount} files`;
      yield `no match for ${JSON.stringify(this.#pattern)} in ${files}\n`;
    }
    for (const problem of this.#problems) yield `(not searched: ${problem})\n`;
  }

  async *#searchPath(path: string): AsyncGenerator<string> {
    try {
      const place = await this.#confined.locate(path);
      yield* place.isDirectory ? this.#searchDirectory(place) : this.#searchFile(place);
    } catch (error) {
      if (!(error instanceof PathError)) throw error;
      this.#problems.push(error.message);
    }
  }

  async *#searchDirectory(directory: Place): AsyncGenerator<string> {
    for (const { name, type } of await this.#confined.entries(directory)) {
      const path = directory.name === "." ? name : `${directory.name}/${name}`;
      if (type === "link") this.#problems.push(`${JSON.stringify(path)}: is a symbolic link`);
      const isSearched =
        type === "file" || (type === "directory" && !SKIPPED_DIRECTORIES.has(name));
      if (isSearched) yield* this.#searchPath(path);
    }
  }

  async *#searchFile(file: Place): AsyncGenerator<string> {
    this.#fileCount += 1;
    const chunks = readChunks(file, this.#signal);
    for await (const { line, excerpt } of findMatches(chunks, this.#pattern)) {
      this.#matchCount += 1;
      if (excerpt.includes("\u0000")) {
        yield `${file.name}: a binary file with this text\n`;
        return;
      }
      yield `${file.name}:${line}: ${excerpt}\n`;
    }
  }
}
