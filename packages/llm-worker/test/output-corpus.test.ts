import { describe, expect, test } from "vitest";
import { BlobIndexBuilder } from "../src/blob/index-builder.js";
import {
  describeBytes,
  describeContent,
  describeText,
  type Described,
} from "../src/output/describe.js";
import { leanLimits } from "../src/output/output-limits.js";
import { StreamSample } from "../src/output/stream-sample.js";
import { overviewOfStream } from "../src/output/store-stream.js";
import { summarize, UUID_PREFIX_BYTES } from "../src/output/summary.js";
import { ToolOutput } from "../src/output/tool-output.js";
import { type CorpusOutput, corpusOutputs, hasCorpus, skippedWhen } from "./support/corpus.js";

const BUDGET = leanLimits.summaryMaxBytes - UUID_PREFIX_BYTES;

/** What every summary has to be, whatever it is a summary of. */
function expectSound(summary: string): void {
  expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(BUDGET);
  expect(summary.isWellFormed()).toBe(true);
}

function jsonOf(text: string): CorpusOutput["json"] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return "array";
    return typeof value === "object" && value !== null ? "object" : "string";
  } catch {
    return "no";
  }
}

function expectExact({ overview: { stat } }: Described, output: CorpusOutput): void {
  expect(stat.byteCount).toBe(output.byteCount);
  const kind = output.json === "array" || output.json === "object" ? `json_${output.json}` : "text";
  expect(stat.kind).toBe(kind);
  expect(stat.lineCount).toBe(kind === "text" ? output.lineCount : undefined);
}

describe.skipIf(!hasCorpus)(`recorded tool outputs${skippedWhen}`, () => {
  const outputs = corpusOutputs();

  test.each(outputs)("$file as text", (output) => {
    const bytes = output.bytes();
    const text = output.isUtf8
      ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
      : bytes.toString("latin1");
    const promoted = ToolOutput.from(text);
    const isInline = Buffer.byteLength(text) <= leanLimits.inlineMaxBytes;
    expect(promoted.kind).toBe(isInline ? "inline" : "stored");
    const described = describeText(text, leanLimits.summaryMaxBytes);
    const summary = summarize(described.overview, leanLimits);
    expectSound(summary);
    const latin1 = { ...output, byteCount: Buffer.byteLength(text), json: jsonOf(text) };
    expectExact(described, output.isUtf8 ? output : latin1);
    expect("summary" in promoted ? promoted.summary : summary).toBe(summary);
  });

  test.each(outputs)("$file as bytes and as a stream", (output) => {
    const bytes = output.bytes();
    const described = describeBytes(bytes, leanLimits.summaryMaxBytes);
    const summary = summarize(described.overview, leanLimits);
    expectSound(summary);
    expect(described.overview.stat.byteCount).toBe(output.byteCount);
    const isText = output.isUtf8 && !output.hasNul;
    expect(described.content.type === "binary").toBe(!isText);
    const { stat } = described.overview;
    expect(stat).toEqual(describeContent(described.content, 0).stat);
    const builder = new BlobIndexBuilder();
    builder.write(bytes);
    const { mediaType } = stat;
    expect({ ...builder.finish().stat, mediaType }).toEqual(stat);

    const sample = new StreamSample();
    for (let at = 0; at < bytes.length; at += 997) sample.add(bytes.subarray(at, at + 997));
    const streamed = summarize(
      overviewOfStream(stat, sample, leanLimits.summaryMaxBytes),
      leanLimits,
    );
    expectSound(streamed);
    expect(sample.byteCount).toBe(output.byteCount);
    expect(sample.lineCount).toBe(output.lineCount);
    // A window of the stream may end within a value that is whole in memory.
    const isSame = stat.kind === "text" || bytes.length <= 65_536;
    expect(isSame ? streamed : summary).toBe(summary);
  });
});
