import { expect, test } from "vitest";
import { body, expectAnswerForm, read } from "../../test/support/answers.js";
import { BLOB_ID, byteStore } from "../../test/support/byte-store.js";
import { summarizeContent } from "../output/summary.js";

const lines = Array.from({ length: 20_000 }, (_, id) => JSON.stringify({ id, name: `n${id}` }));
const text = `${lines.join("\n")}\n`;
const store = byteStore(text);

test("JSON lines are text that says so, in the summary as in the answer", async () => {
  const header = `text | 20000 lines | ${text.length} bytes | ndjson`;
  expect(summarizeContent({ type: "text", text }).split("\n", 1)).toEqual([header]);
  const answer = await read(store, "lines:1-2");
  expectAnswerForm(answer);
  expect(answer.header).toContain(`[blob:${BLOB_ID}] text | lines 1-2 of 20000 | `);
  expect(answer.header).toContain(" | ndjson | ");
});

test("slice: gives entries as they are written, and the next selector goes on", async () => {
  const answer = await read(store, "slice:19000..19003");
  expectAnswerForm(answer);
  expect(body(answer)).toBe(lines.slice(19_000, 19_003).join("\n"));
  expect(answer.header).toMatch(/ text \| entries 19000\.\.19003 of 20000 \| .* complete$/);
  const long = await read(store, "slice:5..");
  expect(long.next).toMatch(/^slice:\d+\.\.20000$/);
});

test("a slice of one is the value, a slice of more is JSON lines again", async () => {
  expect(body(await read(store, "slice:3..4 | key:name"))).toBe("n3");
  expect(body(await read(store, "slice:10..500 | slice:7..9"))).toBe(
    lines.slice(17, 19).join("\n"),
  );
  expect(body(await read(store, "slice:10..500 | lines:2-2"))).toBe(`${lines[11]}\n`);
});

test("what does not fit is refused with what does", async () => {
  expect((await read(store, "slice:20000..20001")).code).toBe("out_of_range");
  const key = await read(store, "key:name");
  expect(key.code).toBe("wrong_kind");
  expect(key.text).toContain("slice:0..1 | key:NAME");
  expect((await read(byteStore("a\nb\n"), "slice:0..1")).code).toBe("wrong_kind");
});
