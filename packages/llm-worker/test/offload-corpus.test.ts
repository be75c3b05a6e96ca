import { describe, expect, test } from "vitest";
import { MemoryFileBackend } from "../src/output/memory-file-backend.js";
import { offloadToFile } from "../src/output/offload-to-file.js";
import { resolveOutputLimits } from "../src/output/output-limits.js";
import type { ReadBackAnswer } from "../src/tool/tool.js";
import { corpusOutputs, hasCorpus, skippedWhen } from "./support/corpus.js";
import { bodyOf, walkFile } from "./support/file-walk.js";

/** The bytes that an answer shows, from what a model sees of it. */
function shownBytes(answer: ReadBackAnswer, bytes: Buffer): Buffer {
  const [header = ""] = answer.text.split("\n", 1);
  if (header.includes(" | hexadecimal | ")) {
    return Buffer.from(bodyOf(answer).replaceAll("\n", ""), "hex");
  }
  if (!header.includes(" | U+FFFD ")) return Buffer.from(bodyOf(answer));
  const [, start, end] = / bytes (\d+)-(\d+) of /.exec(header) ?? [];
  return bytes.subarray(Number(start), Number(end));
}

describe.skipIf(!hasCorpus)(`recorded tool outputs in files${skippedWhen}`, () => {
  test.each(corpusOutputs().filter(({ byteCount }) => byteCount > 0))(
    "$file is read back exactly",
    async ({ bytes: load, lineCount, byteCount }) => {
      const bytes = load();
      const backend = new MemoryFileBackend();
      const policy = offloadToFile({ backend, tokenLimit: 0 });
      const { summary, files } = await policy.apply(bytes, {
        callId: "call_1",
        toolName: "recorded",
        isError: false,
        limits: resolveOutputLimits(),
        report: () => undefined,
      });
      const path = "/large_tool_result/call_1";
      expect(files).toEqual([{ path, byteCount, lineCount }]);
      expect(summary.isWellFormed()).toBe(true);
      const [tool] = policy.createTools?.(() => [
        { type: "tool_result", callId: "call_1", summary, files },
      ]) ?? [undefined];
      if (tool === undefined) throw new Error("the policy has no tool");
      const answers = await walkFile(tool, path);
      const readBack = Buffer.concat(answers.map((answer) => shownBytes(answer, bytes)));
      expect(readBack.equals(bytes)).toBe(true);
      for (const answer of answers) {
        expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(16_384);
      }
    },
  );
});
