import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectAnswerForm, read } from "../../test/support/answers.js";
import { BLOB_ID, byteStore } from "../../test/support/byte-store.js";
import { walk } from "../../test/support/walk.js";

const CAP = 16_384;
const lines500 = Array.from({ length: 500 }, (_, i) => `line ${i + 1}\n`).join("");

describe("a walk", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["one giant line with a needle", `${"x".repeat(100_000)}NEEDLE${"y".repeat(100_000)}`],
    ["3 lines of 70,000 bytes", `${"a".repeat(69_999)}\n`.repeat(3)],
    ["100,000 short lines", "short line\n".repeat(100_000)],
    ["text without a final newline", `${lines500}the end`],
    ["lines of a little more than half an answer", `${"z".repeat(8200)}\n`.repeat(40)],
    ["long and short lines in turn", `${"l".repeat(15_000)}\n${"s".repeat(3000)}\r\n`.repeat(30)],
    ["nothing", ""],
    ["one newline", "\n"],
    ["a byte order mark", "\ufefftext\n".repeat(3000)],
    ["emoji without line ends", "👨‍👩‍👧‍👦é漢".repeat(4000)],
  ];
  test.each(cases)("F11: visits each byte of %s once, in few answers", async (_, text) => {
    const { bytes, answers } = await walk(byteStore(text), BLOB_ID);
    expect(bytes.equals(Buffer.from(text))).toBe(true);
    expect(answers.length).toBeLessThanOrEqual(bytes.length / (CAP / 2) + 2);
    for (const answer of answers) expectAnswerForm(answer);
  });

  test("goes by lines where lines fit, and comes back to lines after a giant one", async () => {
    const text = `${lines500.repeat(3)}${"g".repeat(40_000)}\n${lines500.repeat(20)}`;
    const { answers } = await walk(byteStore(text), BLOB_ID);
    const kinds = answers.map(({ next }) => next?.split(":", 1)[0]);
    expect(kinds.slice(0, 4)).toEqual(["lines", "bytes", "bytes", "lines"]);
    expect(answers[0]?.header).toContain("| lines 1-1500 of 11501 |");
    expect(answers[1]?.header).toContain("| part of lines 1501-1501 of 11501 |");
  });

  test("F4: never cuts a character, wherever the cut falls", async () => {
    for (let shift = 0; shift <= 16; shift++) {
      const text = `${"x".repeat(400 - shift)}${"😀".repeat(500)}\n`.repeat(5);
      const family = `${"x".repeat(shift)}${"👨‍👩‍👧‍👦".repeat(800)}`;
      for (const payload of [text, family]) {
        for (const maxAnswerBytes of [1024, CAP]) {
          const { bytes, answers } = await walk(byteStore(payload), BLOB_ID, { maxAnswerBytes });
          expect(bytes.toString()).toBe(payload);
          for (const answer of answers) {
            expectAnswerForm(answer, maxAnswerBytes);
            expect(answer.text).not.toContain("\ufffd");
            expect(answer.text.endsWith("\u200d")).toBe(false);
          }
        }
      }
    }
  });

  const chunk = fc.oneof(
    fc.string({ unit: "binary", maxLength: 3000 }),
    fc.string({ unit: fc.constantFrom("a", "\n", "\r\n", "漢", "😀"), maxLength: 2000 }),
    fc.nat(4000).map((length) => "w".repeat(length)),
  );
  const text = fc.array(chunk, { maxLength: 8 }).map((parts) => parts.join("\n").toWellFormed());
  const cap = fc.constantFrom(1024, 2000, 4096);

  test("reproduces any text, within the cap and the number of answers", async () => {
    await fc.assert(
      fc.asyncProperty(text, cap, async (payload, maxAnswerBytes) => {
        const { bytes, answers } = await walk(byteStore(payload, "text"), BLOB_ID, {
          maxAnswerBytes,
        });
        expect(bytes.equals(Buffer.from(payload))).toBe(true);
        expect(answers.length).toBeLessThanOrEqual(bytes.length / (maxAnswerBytes / 2) + 2);
        for (const answer of answers) expectAnswerForm(answer, maxAnswerBytes);
      }),
      { numRuns: 60 },
    );
  });

  test("reproduces any JSON, within the cap and the number of answers", async () => {
    const value = fc.array(fc.oneof(fc.jsonValue(), text), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(value, cap, fc.constantFrom(0, 2), async (json, maxAnswerBytes, indent) => {
        const payload = JSON.stringify(json, undefined, indent);
        const { bytes, answers } = await walk(byteStore(payload), BLOB_ID, { maxAnswerBytes });
        expect(bytes.equals(Buffer.from(payload))).toBe(true);
        expect(answers[0]?.header).toContain(`json_array | ${json.length} entr`);
        expect(answers.length).toBeLessThanOrEqual(bytes.length / (maxAnswerBytes / 2) + 2);
        for (const answer of answers) expectAnswerForm(answer, maxAnswerBytes);
      }),
      { numRuns: 60 },
    );
  });

  test("reproduces any bytes, as binary and as text that is not UTF-8", async () => {
    const kind = fc.constantFrom("binary" as const, "text" as const);
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 6000 }),
        kind,
        cap,
        async (payload, kindOf, maxAnswerBytes) => {
          const { bytes, answers } = await walk(byteStore(payload, kindOf), BLOB_ID, {
            maxAnswerBytes,
          });
          expect(bytes.equals(payload)).toBe(true);
          for (const answer of answers) expectAnswerForm(answer, maxAnswerBytes);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("binary", () => {
  const png = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(150_000, 7)]);
  const store = byteStore(png, "binary", "image/png");

  test("is shown as a hexadecimal dump, with media type and size", async () => {
    const answer = await read(store);
    expectAnswerForm(answer);
    expect(answer.header).toMatch(
      /\] binary \| image\/png \| bytes 0-\d+ of 150008 \| next: bytes:\d+-150008$/,
    );
    expect(answer.text.split("\n")[1]).toBe(
      "00000000  89 50 4e 47 0d 0a 1a 0a 07 07 07 07 07 07 07 07  |.PNG............|",
    );
    expect(Buffer.from(answer.payload).equals(png.subarray(0, answer.payload.length))).toBe(true);
    const part = await read(store, "bytes:1-4");
    expect(part.text.split("\n")[1]).toMatch(/^00000001 {2}50 4e 47 +\|PNG\|$/);
  });

  test.each(["lines:1-5", "slice:0..1", "key:a", "bytes:0-9 | lines:1-2"])(
    "F10: %s of an image is answered with what it is",
    async (selector) => {
      const answer = await read(store, selector);
      expect(answer.code).toBe("wrong_kind");
      expect(answer.text).toContain("this is binary");
      expect(answer.text).toContain("Valid: bytes:0-150008, find:TEXT.");
    },
  );

  test("a media type that would break the header is left out", async () => {
    const odd = byteStore(png, "binary", "x/y | next: key:a\nb");
    expect((await read(odd, "bytes:0-4")).header).toMatch(
      /\] binary \| bytes 0-4 of 150008 \| complete$/,
    );
  });
});

test("text that is not UTF-8 says so, and its bytes stay exact", async () => {
  const latin1 = Buffer.from("größe: 5\n".repeat(40), "latin1");
  const answer = await read(byteStore(latin1, "text"), "lines:1-2");
  expect(answer.header).toMatch(
    / text \| lines 1-2 of 40 \| bytes 0-18 of 360 \| not valid UTF-8 \| complete$/,
  );
  expect(answer.text).toContain("gr\ufffd\ufffde: 5");
  expect(Buffer.from(answer.payload).equals(latin1.subarray(0, 18))).toBe(true);
});
