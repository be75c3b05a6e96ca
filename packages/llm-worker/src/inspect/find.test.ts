import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { body, expectAnswerForm, read } from "../../test/support/answers.js";
import { BLOB_ID, byteStore } from "../../test/support/byte-store.js";
import { readBlob } from "./read.js";
import { printSelector } from "./selector.js";

describe("find:", () => {
  test("F11: finds the needle in a giant line, with its place and what is around it", async () => {
    const store = byteStore(`${"x".repeat(100_000)}NEEDLE${"y".repeat(100_000)}`);
    const answer = await read(store, "find:NEEDLE");
    expect(answer.header).toContain(
      "] text | matches 1-1 of 1 | bytes 0-200006 of 200006 | complete",
    );
    expect(body(answer)).toBe(`line 1 (byte 100000): …${"x".repeat(80)}NEEDLE${"y".repeat(80)}…`);
  });

  test("finds what lies across the pieces it reads, once each", async () => {
    const parts = Array.from({ length: 40 }, (_, i) => `${"-".repeat(104_800 + i)}NEEDLE`);
    const text = parts.join("\n");
    const answer = await read(byteStore(text), "find:NEEDLE");
    const places = [...body(answer).matchAll(/line (\d+) \(byte (\d+)\)/g)];
    expect(places.map(([, line]) => Number(line))).toEqual(parts.map((_, i) => i + 1));
    for (const [, , byte] of places) expect(text.startsWith("NEEDLE", Number(byte))).toBe(true);
  });

  test("shows the line of a match only, and marks what it leaves out", async () => {
    const store = byteStore(`first\r\n${"é".repeat(100)}HIT${"漢".repeat(100)}\nlast HIT\r\n`);
    const [one = "", two = ""] = body(await read(store, "find:HIT")).split("\n");
    expect(one).toMatch(/^line 2 \(byte 207\): …é{40}HIT漢{26}…$/);
    expect(two).toMatch(/^line 3 \(byte \d+\): last HIT$/);
    expect(body(await read(store, 'find:"first\\r\\né"'))).toMatch(/: first↵é+…$/);
  });

  test("counts all, lists what fits, and goes on after the last that is listed", async () => {
    const store = byteStore(Array.from({ length: 3000 }, (_, i) => `row ${i + 1} ok`).join("\n"));
    const seen: string[] = [];
    let selector: string | undefined = "lines:11-2990 | find:ok";
    let expected = 2980;
    while (selector !== undefined) {
      const answer = await read(store, selector);
      expectAnswerForm(answer);
      const shown = body(answer).split("\n");
      expect(answer.header).toContain(`matches 1-${shown.length} of ${expected} |`);
      seen.push(...shown);
      expected -= shown.length;
      selector = answer.next;
    }
    expect(seen.length).toBe(2980);
    expect(seen.at(-1)).toMatch(/^line 2990 \(byte \d+\): row 2990 ok$/);
  });

  test("says so if there is no match", async () => {
    const text = await read(byteStore("Needle"), "find:needle");
    expect(text.isError).toBe(false);
    expect(text.header).toContain("| no match | bytes 0-6 of 6 | complete");
    expect(body(text)).toContain("upper and lower case differ");
    expect(body(await read(byteStore('["a\\nb"]'), 'find:"a\\nb"'))).toContain(
      "JSON text as written",
    );
  });

  test("tells the entry of an array, with an index and without", async () => {
    for (const size of [50, 30_000]) {
      const raw = JSON.stringify(
        Array.from({ length: size }, (_, id) => ({ id, n: "x" })),
        undefined,
        1,
      );
      const answer = await read(byteStore(raw), `find:"\\"id\\": ${size - 2},"`);
      expect(body(answer)).toMatch(
        new RegExp(`^entry ${size - 2} \\(byte \\d+\\): {3}"id": ${size - 2},$`),
      );
    }
  });

  test("looks into binary too", async () => {
    const bytes = Buffer.concat([Buffer.alloc(10), Buffer.from("MAGIC"), Buffer.alloc(5, 255)]);
    expect(body(await read(byteStore(bytes), "find:MAGIC"))).toBe(
      `byte 10: ${".".repeat(10)}MAGIC.....`,
    );
  });

  test("finds as often as a plain search, in any text and scope", async () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", "é"), maxLength: 300 });
    const needle = fc.string({
      unit: fc.constantFrom("a", "b", "\n", "é"),
      minLength: 1,
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(text, needle, async (haystack, wanted) => {
        const selector = printSelector([{ type: "find", text: wanted }]);
        const answer = await readBlob(byteStore(haystack, "text"), BLOB_ID, selector);
        const count = haystack.split(wanted).length - 1;
        expect(answer.header).toContain(count === 0 ? "| no match |" : ` of ${count} | bytes `);
      }),
    );
  });

  test("nothing may follow it", async () => {
    const answer = await read(byteStore("a|b"), "find:a | lines:1-2");
    expect(answer.code).toBe("bad_selector");
    expect(answer.text).toContain('write find:"a | lines:1-2"');
  });
});
