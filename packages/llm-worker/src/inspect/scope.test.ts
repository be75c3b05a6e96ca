import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { body, expectAnswerForm, read } from "../../test/support/answers.js";
import { BLOB_ID, byteStore } from "../../test/support/byte-store.js";
import { walk } from "../../test/support/walk.js";

const lines500 = Array.from({ length: 500 }, (_, i) => `line ${i + 1}\n`).join("");

describe("lines:", () => {
  test("F13: a range that goes past the end is cut to it, and the answer says where the end is", async () => {
    const answer = await read(byteStore(lines500), "lines:450-1000");
    expect(answer.header).toMatch(
      / text \| lines 450-500 of 500 \| bytes \d+-4392 of 4392 \| complete$/,
    );
    expect(body(answer)).toBe(lines500.slice(lines500.indexOf("line 450\n")));
  });

  test.each([
    ["lines:900-1000", "out_of_range"],
    ["lines:99999999999999999", "out_of_range"],
    ["bytes:99999999999999999-999999999999999999", "out_of_range"],
    ["lines:0-5", "out_of_range"],
    ["lines:9-3", "bad_selector"],
    ["slice:0..3", "wrong_kind"],
    ["key:a", "wrong_kind"],
    ["foo:1", "bad_selector"],
    ["lines:", "bad_selector"],
    ["LINES:1-2 ", "bad_selector"],
  ])("F13: %j is refused with what is valid for this text", async (selector, code) => {
    const answer = await read(byteStore(lines500), selector);
    expectAnswerForm(answer);
    expect(answer.code).toBe(code);
    expect(answer.text).toContain("This is text of 500 lines, 4392 bytes.");
    expect(answer.text).toContain("lines:1-500");
    expect(answer.text).toContain("Example: lines:1-50");
  });

  test("points at what is wrong", async () => {
    const { text } = await read(byteStore("text"), "bytes:0-2 | foo:1");
    const [, shown = "", caret = ""] = text.split("\n");
    expect(shown.slice(caret.indexOf("^"))).toBe("foo:1");
  });

  test("F14: the header says which lines are shown, and the next selector begins after them", async () => {
    const store = byteStore(`${"v".repeat(199)}\n`.repeat(6000));
    const answer = await read(store, "lines:1-5000");
    expectAnswerForm(answer);
    const last = /lines 1-(\d+) of 6000/.exec(answer.header)?.[1];
    expect(answer.next).toBe(`lines:${Number(last) + 1}-5000`);
    expect(answer.payload.length).toBe(Number(last) * 200);
    const { bytes } = await walk(store, BLOB_ID, { selector: "lines:1-5000" });
    expect(bytes.length).toBe(5000 * 200);
  });

  test("a line that does not fit goes on by bytes, to the end of what was asked for", async () => {
    const text = `first\n${"x".repeat(30_000)}\nthird\nfourth\n`;
    const answer = await read(byteStore(text), "lines:2-3");
    expect(answer.header).toContain("part of lines 2-2 of 4");
    expect(answer.next).toMatch(/^bytes:\d+-30013$/);
    const { bytes } = await walk(byteStore(text), BLOB_ID, { selector: "lines:2-3" });
    expect(bytes.toString()).toBe(`${"x".repeat(30_000)}\nthird\n`);
  });

  test("any range of lines gives those lines", async () => {
    const line = fc.string({ maxLength: 20 }).map((text) => text.replaceAll("\n", ""));
    const ending = fc.constantFrom("\n", "\r\n");
    const row = fc.tuple(line, ending).map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1 }),
        fc.nat(120),
        fc.nat(120),
        async (rows, from, count) => {
          fc.pre(from < rows.length);
          const store = byteStore(rows.join(""), "text");
          const answer = await read(store, `lines:${from + 1}-${from + 1 + count}`);
          const expected = rows.slice(from, from + 1 + count).join("");
          expect(Buffer.from(answer.payload).equals(Buffer.from(expected))).toBe(true);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe("bytes:", () => {
  test("moves both ends down to where a character begins, so that ranges that meet still meet", async () => {
    const store = byteStore("aé漢😀z");
    expect((await read(store, "bytes:0-2")).header).toContain("bytes 0-1 of 11");
    expect(body(await read(store, "bytes:2-5"))).toBe("é");
    expect(body(await read(store, "bytes:5-11"))).toBe("漢😀z");
    expect((await read(store, "bytes:8-9")).header).toContain("bytes 6-10 of 11");
  });

  test("ranges of any size put together are the text", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme", minLength: 1 }),
        fc.integer({ min: 1, max: 9 }),
        async (text, size) => {
          const store = byteStore(text, "text");
          const total = Buffer.byteLength(text);
          let at = 0;
          let seen = "";
          while (at < total) {
            const answer = await read(store, `bytes:${at}-${at + size}`);
            expect(answer.isError).toBe(false);
            seen += body(answer);
            at = Number(/bytes \d+-(\d+) of/.exec(answer.header)?.[1]);
          }
          expect(seen).toBe(text.toWellFormed());
        },
      ),
      { numRuns: 50 },
    );
  });

  test.each([
    ["bytes:5-5", "bad_selector"],
    ["bytes:4-", "out_of_range"],
    ["bytes:9-12", "out_of_range"],
  ])("%j of four bytes is refused", async (selector, code) => {
    const answer = await read(byteStore("text"), selector);
    expect(answer.code).toBe(code);
    expect(answer.text).toContain("bytes:0-4");
  });

  test("narrows what the step before it left, with the same counting", async () => {
    const store = byteStore(lines500);
    expect(body(await read(store, "lines:2-3 | bytes:7-11"))).toBe("line");
    expect(body(await read(store, "bytes:0-20 | lines:2-9"))).toBe("line 2\nline 3");
    const outside = await read(store, "lines:2-3 | bytes:100-200");
    expect(outside.code).toBe("out_of_range");
    expect(outside.text).toContain("leaves bytes 7-21");
  });
});
