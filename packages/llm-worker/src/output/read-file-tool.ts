import { OutputLimitsError } from "../errors.js";
import type { FileRef, Item } from "../model/item.js";
import { plainInput } from "../tool/plain-input.js";
import { defineTool, type ReadBackAnswer, type Tool } from "../tool/tool.js";
import { cutEnd } from "./cut.js";
import type { FileBackend } from "./file-backend.js";
import { countLineEnds, cutPage, type Page, PAGE_LOOKAHEAD_BYTES } from "./file-page.js";
import { OffloadedFile } from "./offloaded-file.js";
import { ReadFileError, toReadFileError } from "./read-file-error.js";
import { NEWLINE } from "./text-sample.js";

/** Name of the tool, unless told otherwise. */
export const READ_FILE_TOOL_NAME = "read_file";
/** Answers are at most this long, unless told otherwise. */
export const DEFAULT_READ_FILE_BYTES = 16_384;
/** A smaller limit would leave no room beside the header. */
export const MIN_READ_FILE_BYTES = 1024;

/** What {@link createReadFileTool} needs. */
export interface ReadFileToolOptions {
  readonly backend: FileBackend;
  readonly name: string;
  readonly maxAnswerBytes: number;
  /** Only files that these items name are read. */
  readonly history: () => readonly Item[];
}

/** A header quotes a path up to this. */
const MAX_PATH_BYTES = 256;
/** The rest of a header, all numbers at their longest. */
const HEADER_FACTS_BYTES = 320;

/** Files whose places are remembered. */
const MAX_OPEN_FILES = 8;

const DESCRIPTION = `Reads a tool result that was saved in a file: copy its path from the notice. Without more: from the beginning, as much as fits.
offset: first line, from 1. limit: number of lines. byte_offset: bytes of that first line to skip, for a line too long for one answer.
If an answer ends in next:, those arguments with the same path show what follows.`;

/**
 * Makes the tool with which a model reads offloaded files, by lines and, within a line that is too
 * long, by bytes. An answer is a header line, and from the next line on the file's own bytes. While its
 * header has `next`, that is where the file goes on; so each byte is shown once.
 */
export function createReadFileTool(options: ReadFileToolOptions): Tool {
  const files = new OpenFiles(options.backend);
  const tool = defineTool({
    name: options.name,
    description: DESCRIPTION,
    input: plainInput({
      path: { type: "string" },
      offset: { type: "integer", minimum: 1, isOptional: true },
      limit: { type: "integer", minimum: 1, isOptional: true },
      byte_offset: { type: "integer", minimum: 0, isOptional: true },
    }),
    async execute(input, { signal }): Promise<ReadBackAnswer> {
      try {
        const ref = findFile(options.history(), input.path);
        const place = {
          line: (input.offset ?? 1) - 1,
          byteOffset: input.byte_offset ?? 0,
          maxLines: input.limit,
        };
        const text = await answer(await files.open(ref), ref, place, options.maxAnswerBytes);
        return { text, isError: false };
      } catch (thrown) {
        const { code, message } = toReadFileError(thrown, signal);
        return { text: `${options.name} error (${code}): ${message}`, isError: true };
      }
    },
  });
  return { ...tool, readsBack: true };
}

/** @throws OutputLimitsError if an answer could not be told in so few bytes */
export function checkReadFileBytes(maxAnswerBytes: number = DEFAULT_READ_FILE_BYTES): number {
  if (Number.isSafeInteger(maxAnswerBytes) && maxAnswerBytes >= MIN_READ_FILE_BYTES) {
    return maxAnswerBytes;
  }
  throw new OutputLimitsError(
    `maxAnswerBytes is ${String(maxAnswerBytes)}: ` +
      `use a whole number of at least ${String(MIN_READ_FILE_BYTES)}`,
  );
}

function findFile(items: readonly Item[], wanted: string): FileRef {
  const path = wanted.trim();
  for (const item of items) {
    if (item.type !== "tool_result") continue;
    const file = item.files?.find((ref) => ref.path.trim() === path);
    if (file !== undefined) return file;
  }
  throw new ReadFileError(
    "unknown_path",
    "no result of this conversation is saved at that path; " +
      'copy the path from a line that begins with "It is saved in the file"',
  );
}

interface Place {
  /** Counted from 0. */
  readonly line: number;
  readonly byteOffset: number;
  readonly maxLines: number | undefined;
}

async function answer(
  file: OffloadedFile,
  { path }: FileRef,
  { line, byteOffset, maxLines }: Place,
  maxAnswerBytes: number,
): Promise<string> {
  const shownPath = cutEnd(path.replaceAll(/\p{Cc}+/gu, " "), MAX_PATH_BYTES);
  if (file.byteCount === 0) return `[file:${shownPath}] the file is empty`;
  const maxBytes = maxAnswerBytes - HEADER_FACTS_BYTES - Buffer.byteLength(shownPath);
  const start = await file.find(line, byteOffset);
  const window = await file.read(start, maxBytes + PAGE_LOOKAHEAD_BYTES);
  const page = cutPage(window, {
    maxBytes,
    maxLines: maxLines ?? Infinity,
    isLast: start + window.length >= file.byteCount,
  });

  const end = start + page.bytes.length;
  const lineEnds = countLineEnds(page.bytes);
  const isLineEnd = page.bytes.at(-1) === NEWLINE;
  const lastLine = line + lineEnds - (isLineEnd ? 1 : 0);
  const facts = [
    `[file:${shownPath}] lines ${String(line + 1)}-${String(lastLine + 1)}${outOf(file.lineCount)}`,
    `bytes ${String(start)}-${String(end)} of ${String(file.byteCount)}`,
    ...formNote(page),
    ...(file.lineCount === undefined ? ["changed since it was saved"] : []),
  ];
  if (end >= file.byteCount) return `${[...facts, "end of file"].join(" | ")}\n${page.text}`;

  const shownOfLine = lineEnds === 0 ? byteOffset + page.bytes.length : endOfPage(page.bytes);
  if (shownOfLine > 0) file.noteLongLine(end - shownOfLine, shownOfLine);
  const next = {
    offset: line + lineEnds + 1,
    ...(maxLines === undefined ? {} : { limit: maxLines }),
    ...(shownOfLine > 0 ? { byte_offset: shownOfLine } : {}),
  };
  return `${[...facts, `next: ${JSON.stringify(next)}`].join(" | ")}\n${page.text}`;
}

/** Bytes after the last line end. */
function endOfPage(bytes: Buffer): number {
  return bytes.length - 1 - bytes.lastIndexOf(NEWLINE);
}

function outOf(total: number | undefined): string {
  return total === undefined ? "" : ` of ${String(total)}`;
}

function formNote({ form }: Page): readonly string[] {
  switch (form) {
    case "text":
      return [];
    case "replaced":
      return ["U+FFFD is what is not UTF-8"];
    case "hexadecimal":
      return ["hexadecimal"];
  }
}

/** The files that were read last, with what is remembered of each. */
class OpenFiles {
  readonly #backend: FileBackend;
  readonly #files = new Map<string, OffloadedFile>();

  constructor(backend: FileBackend) {
    this.#backend = backend;
  }

  async open(ref: FileRef): Promise<OffloadedFile> {
    const stat = await this.#backend.stat(ref.path);
    const known = this.#files.get(ref.path);
    const isSame = known !== undefined && known.byteCount === stat.byteCount;
    const file = isSame ? known : new OffloadedFile(this.#backend, ref, stat);
    this.#files.delete(ref.path);
    this.#files.set(ref.path, file);
    for (const path of this.#files.keys()) {
      if (this.#files.size <= MAX_OPEN_FILES) break;
      this.#files.delete(path);
    }
    return file;
  }
}
