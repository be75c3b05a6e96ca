import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

const sharedRoot =
  process.env["LLM_WORKER_SHARED"] ??
  fileURLToPath(new URL("../../../../../shared", import.meta.url));

const outputsRoot = `${sharedRoot}/corpus/outputs`;

/** Whether the shared tool outputs are here; without them their tests are skipped. */
export const hasCorpus: boolean = existsSync(`${outputsRoot}/manifest.jsonl`);

/** Appended to titles, so that a skipped suite says why. */
export const skippedWhen: string = hasCorpus ? "" : " (skipped: no shared data)";

/** One recorded tool output, with what its manifest says of it. */
export interface CorpusOutput {
  readonly file: string;
  readonly byteCount: number;
  readonly isUtf8: boolean;
  readonly hasNul: boolean;
  /** What `JSON.parse` makes of the text. */
  readonly json: "array" | "object" | "string" | "number" | "null" | "no";
  /** Lines as an editor shows them. */
  readonly lineCount: number;
  readonly bytes: () => Buffer;
}

/** All recorded tool outputs. */
export function corpusOutputs(): readonly CorpusOutput[] {
  if (!hasCorpus) return [];
  const manifest = readFileSync(`${outputsRoot}/manifest.jsonl`, "utf8").trimEnd();
  return manifest.split("\n").map((line) => {
    const entry = JSON.parse(line) as ManifestEntry;
    const hasLastLine = entry.bytes > 0 && !entry.final_newline;
    return {
      file: entry.file,
      byteCount: entry.bytes,
      isUtf8: entry.utf8,
      hasNul: entry.nul,
      json: entry.json,
      lineCount: entry.lf + entry.crlf + (hasLastLine ? 1 : 0),
      bytes: () => readOutput(entry.file),
    };
  });
}

interface ManifestEntry {
  readonly file: string;
  readonly bytes: number;
  readonly utf8: boolean;
  readonly nul: boolean;
  readonly json: CorpusOutput["json"];
  readonly lf: number;
  readonly crlf: number;
  readonly final_newline: boolean;
}

function readOutput(file: string): Buffer {
  const bytes = readFileSync(`${outputsRoot}/${file}`);
  return file.endsWith(".gz") ? gunzipSync(bytes) : bytes;
}
