import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findMatches, type Match } from "./find-matches.js";

async function matchesOf(pieces: readonly Uint8Array[], text: string): Promise<Match[]> {
  async function* stream(): AsyncGenerator<Uint8Array> {
    yield* pieces;
  }
  const matches: Match[] = [];
  for await (const match of findMatches(stream(), text)) matches.push(match);
  return matches;
}

function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const cuts = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length];
  cuts.sort((a, b) => a - b);
  return cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end));
}

describe("findMatches", () => {
  test("gives each line that has the text once, whole and with its number", async () => {
    const text = "one\ntwo retry retry\r\n\nfour\nretry";
    expect(await matchesOf([Buffer.from(text)], "retry")).toEqual([
      { line: 2, excerpt: "two retry retry" },
      { line: 5, excerpt: "retry" },
    ]);
  });

  test("finds the same wherever the stream is cut", async () => {
    const line = fc.array(fc.constantFrom("a", "ab", "b", "漢", "😀", "x".repeat(300), "needle"));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 20 }),
        fc.array(fc.nat()),
        async (lines, places) => {
          const bytes = Buffer.from(lines.map((parts) => parts.join("")).join("\n"));
          const whole = await matchesOf([bytes], "needle");
          expect(await matchesOf(cutAt(bytes, places), "needle")).toEqual(whole);
        },
      ),
    );
  });

  test("finds exactly the lines that have the text", async () => {
    const line = fc.array(fc.constantFrom("a", "ab", "é", " ")).map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(fc.array(line), async (lines) => {
        const found = await matchesOf(cutAt(Buffer.from(lines.join("\n")), [3, 8]), "ab");
        const expected = lines.flatMap((excerpt, index) =>
          excerpt.includes("ab") ? [{ line: index + 1, excerpt }] : [],
        );
        expect(found).toEqual(expected);
      }),
    );
  });

  test("shows of a giant line only what is around each match, and marks the cuts", async () => {
    const text = `${"漢".repeat(100_000)}needle${"é".repeat(100_000)}needle`;
    const found = await matchesOf(cutAt(Buffer.from(text), [70_000, 140_001, 300_003]), "needle");
    expect(found).toHaveLength(2);
    expect(found[0]?.excerpt).toMatch(/^…漢{80}needleé{120}…$/u);
    expect(found[1]?.excerpt).toMatch(/^…é{120}needle$/u);
  });

  test("takes a giant line full of matches", async () => {
    const text = "needle,".repeat(200_000);
    const found = await matchesOf([Buffer.from(text)], "needle");
    expect(found.length).toBeGreaterThan(1000);
    expect(found.every(({ line }) => line === 1)).toBe(true);
  });
});
