import { setImmediate } from "node:timers/promises";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { corpusOutputs, hasCorpus, skippedWhen } from "../../test/support/corpus.js";
import { brokenJsonBytes, jsonArrayText, jsonObjectText } from "../../test/support/json-text.js";
import { BlobIndexBuilder } from "../blob/index-builder.js";
import { encodeBlobIndex } from "../blob/index-codec.js";
import { knownDescription } from "../blob/known-description.js";
import { describeContent, describeText } from "./describe.js";
import { scanJson } from "./json-scan.js";
import { type ScannedJson, scanStoredJson, scanStoredJsonInTurns } from "./stored-json.js";
import { summarizeContent } from "./summary.js";

/** The description as a store writes it: an index is looked into, and not to be compared. */
function written(found: ScannedJson | undefined): object | undefined {
  return found && { scan: found.scan, description: encodeBlobIndex(found.description) };
}

/** What two scans find: one of the text for the summary, one of the bytes for the store. */
function foundApart(text: string, maxEntries: number): ScannedJson | undefined {
  const scan = scanJson(text, maxEntries);
  if (scan === undefined) return undefined;
  const builder = new BlobIndexBuilder({ kind: "structured" });
  builder.write(Buffer.from(text));
  return { scan, description: builder.finish() };
}

const containerText = fc.oneof(jsonArrayText, jsonObjectText);

describe("scanStoredJson", () => {
  test("finds in one scan what two would", () => {
    fc.assert(
      fc.property(containerText, fc.nat(6), (text, maxEntries) => {
        expect(written(scanStoredJson(text, maxEntries))).toEqual(
          written(foundApart(text, maxEntries)),
        );
      }),
      { numRuns: 500 },
    );
  });

  test("finds the places of entries wherever the text is cut into pieces", () => {
    const before = fc.tuple(
      fc.constantFrom("x", "é", "漢", "😀"),
      fc.integer({ min: -40, max: 8 }),
    );
    fc.assert(
      fc.property(containerText, before, (text, [character, more]) => {
        const long = character.repeat(Math.ceil((65_536 + more) / character.length));
        for (const json of [
          `["${long}",${text},"${long}",[${text}]]`,
          `{"${character}":"${long}","b\\u00e9":${text}}`,
        ]) {
          expect(written(scanStoredJson(json, 9))).toEqual(written(foundApart(json, 9)));
        }
      }),
      { numRuns: 50 },
    );
  });

  test("refuses what is not one JSON array or object", () => {
    fc.assert(
      fc.property(brokenJsonBytes, (bytes) => {
        const text = bytes.toString("utf8");
        expect(written(scanStoredJson(text, 4))).toEqual(written(foundApart(text, 4)));
      }),
      { numRuns: 1000 },
    );
    for (const text of ["", "1", "[1] [2]", '{"a":1}\n{"a":2}', "[\u0000]", "[[]"]) {
      expect(scanStoredJson(text, 9)).toBeUndefined();
    }
  });
});

describe("scanStoredJsonInTurns", () => {
  const record = (n: number): string => `{"id":${n},"größe":"😀 ${"x".repeat(n % 100)}"}`;
  const texts = [20_000, 30_000, 40_000].map((count, at) => {
    const records = Array.from({ length: count }, (_, n) => record(n + at));
    return at === 1 ? `{"a":[${records.join()}]}` : `[${records.join()}]`;
  });

  test("finds what a scan in one go does, though other scans go on meanwhile", async () => {
    const found = await Promise.all(texts.map((text) => scanStoredJsonInTurns(text, 5)));
    expect(found.map(written)).toEqual(texts.map((text) => written(scanStoredJson(text, 5))));
    expect(await scanStoredJsonInTurns(`${texts[0]}]`, 5)).toBeUndefined();
  });

  test("lets others have their turns", async () => {
    let turns = 0;
    let isScanning = true;
    const others = (async () => {
      for (; isScanning; turns++) await setImmediate();
    })();
    await scanStoredJsonInTurns(`[${texts.join()}]`, 5);
    isScanning = false;
    await others;
    expect(turns).toBeGreaterThan(2);
  });
});

describe("what is known of described content", () => {
  test("is what a store would find, for content that was named as JSON too", () => {
    const text = '[{"a":1},"é"]';
    const { content, overview } = describeText(text, 1000);
    expect(knownDescription(content)?.stat).toEqual(overview.stat);
    const named = { type: "structured", value: [], raw: text } as const;
    expect(knownDescription(named)).toBeUndefined();
    describeContent(named, 1000);
    expect(knownDescription(named)).toEqual(knownDescription(content));
  });

  test("is not believed of another text", () => {
    const content = { type: "structured", value: [], raw: "[1]" } as const;
    describeContent(content, 1000);
    expect(knownDescription({ ...content })).toBeUndefined();
    Object.assign(content, { raw: "[1,2]" });
    expect(knownDescription(content)).toBeUndefined();
  });

  test("does not exist for text and bytes", () => {
    expect(knownDescription(describeText("[1,", 1000).content)).toBeUndefined();
    expect(
      knownDescription({ type: "binary", bytes: Buffer.from("[]"), mediaType: "a/b" }),
    ).toBeUndefined();
  });
});

describe.skipIf(!hasCorpus)(`recorded tool outputs${skippedWhen}`, () => {
  test("are found in one scan what they would be in two, and summarized", () => {
    let jsonCount = 0;
    for (const output of corpusOutputs()) {
      const text = output.bytes().toString("utf8");
      expect(written(scanStoredJson(text, 400))).toEqual(written(foundApart(text, 400)));
      if (scanJson(text, 1) === undefined) continue;
      jsonCount += 1;
      expect(summarizeContent(describeText(text, 2048).content)).not.toBe("");
    }
    expect(jsonCount).toBeGreaterThan(0);
  });
});
