import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { body, expectAnswerForm, read } from "../../test/support/answers.js";
import { BLOB_ID, byteStore, withoutIndex } from "../../test/support/byte-store.js";
import { walk } from "../../test/support/walk.js";

describe("slice:", () => {
  const records = Array.from({ length: 20_000 }, (_, id) => ({ id, n: "x" }));
  const store = byteStore(JSON.stringify(records));

  test("F3: gives the last two of 20,000 records in one line", async () => {
    const answer = await read(store, "slice:19998..20000");
    expect(answer.header).toBe(
      `[blob:${BLOB_ID}] json_array | entries 19998..20000 of 20000 | bytes 408849-408890 of 408891 | complete`,
    );
    expect(body(answer)).toBe('[{"id":19998,"n":"x"},{"id":19999,"n":"x"}]');
  });

  test("goes on after the last entry that fits", async () => {
    const answer = await read(store, "slice:10..5000");
    expectAnswerForm(answer);
    const shown = JSON.parse(body(answer)) as unknown[];
    expect(answer.header).toContain(`entries 10..${10 + shown.length} of 20000`);
    expect(answer.next).toBe(`slice:${10 + shown.length}..5000`);
    const { answers } = await walk(store, BLOB_ID, { selector: "slice:10.." });
    const all = answers.flatMap((part) => JSON.parse(body(part)) as unknown[]);
    expect(all).toEqual(records.slice(10));
  });

  test("reads little of an array with an index", async () => {
    const before = store.counts.bytes;
    await read(store, "slice:15000..15006");
    expect(store.counts.bytes - before).toBeLessThan(60_000);
  });

  test("keeps numbers, escapes and spaces as written", async () => {
    const raw = String.raw`[ 1 , 12345678901234567890 ,"\u00e9" , {"a" : 1.0} ]`;
    expect(body(await read(byteStore(raw), "slice:1..3"))).toBe(
      String.raw`[12345678901234567890 ,"\u00e9"]`,
    );
  });

  test("a giant entry alone is read from its beginning, like the value it is", async () => {
    const text = "long ".repeat(10_000);
    const raw = `[1,${JSON.stringify(text)},{"k":${JSON.stringify(text)}}]`;
    const asText = await walk(byteStore(raw), BLOB_ID, { selector: "slice:1..2" });
    expect(asText.answers[0]?.header).toContain("] string | part of lines 1-1 of 1 | bytes 0-");
    expect(asText.answers[0]?.next).toMatch(/^slice:1\.\.2 \| bytes:\d+-50000$/);
    expect(asText.bytes.toString()).toBe(text);
    const asJson = await walk(byteStore(raw), BLOB_ID, { selector: "slice:2..9" });
    expect(asJson.bytes.toString()).toBe(`{"k":${JSON.stringify(text)}}`);
  });

  test("a giant entry before others is read with them, by bytes", async () => {
    const giant = "g".repeat(40_000);
    const raw = JSON.stringify([0, giant, 2, giant, 4]);
    const { bytes, answers } = await walk(byteStore(raw), BLOB_ID, { selector: "slice:0.." });
    expect(bytes.toString()).toBe(`[0]${JSON.stringify([giant, 2, giant, 4])}`);
    expect(answers[1]?.header).toContain("json_array | 4 entries | bytes 0-");
    expect(answers[1]?.next).toMatch(/^slice:1\.\.5 \| bytes:\d+-80011$/);
    for (const answer of answers) expectAnswerForm(answer);
  });

  test.each([
    ["slice:3..3", "bad_selector"],
    ["slice:9..2", "bad_selector"],
    ["slice:20000..20001", "out_of_range"],
    ["lines:1-2", "wrong_kind"],
    ["key:id", "wrong_kind"],
  ])("%s is refused with what is valid for this array", async (selector, code) => {
    const answer = await read(store, selector);
    expectAnswerForm(answer);
    expect(answer.code).toBe(code);
    expect(answer.text).toContain("This is json_array of 20000 entries, 408891 bytes.");
    expect(answer.text).toContain("slice:0..20000");
  });

  test("a value too large to count for one answer is told by what was seen of it", async () => {
    const entry = JSON.stringify("e".repeat(1000));
    const entries = Array.from({ length: 17_000 }, () => entry);
    const large = withoutIndex(byteStore(`{"a":[${entries.join(",")}]}`));
    const answer = await read(large, "key:a | slice:5..");
    expect(answer.header).toMatch(/ entries 5\.\.20 of at least 21 \|/);
    expect(answer.next).toBe("key:a | slice:20..");
    const end = await read(large, "key:a | slice:16999..");
    expect(end.header).toMatch(/ entries 16999\.\.17000 of at least 17000 \|.* complete$/);
    expect((await read(large, "key:a | slice:17000..")).code).toBe("out_of_range");
  });

  test("an empty array has nothing to slice", async () => {
    const answer = await read(byteStore("[ ]"), "slice:0..1");
    expect(answer.code).toBe("out_of_range");
    expect(answer.text).not.toContain("slice:0..0");
  });

  test("any slice of any array is what Array.slice gives", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue(), { minLength: 1 }),
        fc.nat(12),
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom(0, 1),
        async (values, start, count, indent) => {
          fc.pre(start < values.length);
          const raw = JSON.stringify(values, undefined, indent);
          const answer = await read(byteStore(raw), `slice:${start}..${start + count}`);
          const expected = JSON.parse(raw) as unknown[];
          expect(JSON.parse(body(answer))).toEqual(expected.slice(start, start + count));
        },
      ),
    );
  });
});
