import { expect, test } from "vitest";
import { quoteLines, quoteRecord } from "./quotes.js";
import { readQuestion } from "./question.js";

const question = readQuestion("What is the email of user 14502?");

test("the record around a match is found in a piece of JSON that is cut at both ends", () => {
  const json = 'l":"a@x"},{"id":14502,"contact":{"email":"b}@x"}},{"id":145';
  expect(quoteRecord(json, "14502", question)).toEqual({
    lines: ["email: b}@x", '{"id":14502,"contact":{"email":"b}@x"}}'],
    isWhole: true,
  });
});

test("a record that is cut is quoted as far as it goes, and said to be not whole", () => {
  const quote = quoteRecord('{"id":14502,"text":"abc', "14502", question);
  expect(quote).toEqual({ lines: ['{"id":14502,"text":"abc'], isWhole: false });
});

test("of a large record the part around the match is quoted", () => {
  const json = JSON.stringify({ before: "b".repeat(2000), id: 14502, after: "a".repeat(2000) });
  const line = quoteRecord(json, "14502", question)?.lines.at(-1) ?? "";
  expect(line).toMatch(/^…b+","id":14502,"after":"a+…$/);
});

test("the number itself is preferred to a longer one that holds it", () => {
  const json = '[{"id":145020,"email":"no"},{"id":14502,"email":"yes"}]';
  expect(quoteRecord(json, "14502", question)?.lines[0]).toBe("email: yes");
});

test("the lines below a match that continue it are quoted with it", () => {
  const text = "one\nerror 14502\n  at a\n  at b\ntwo";
  expect(quoteLines(text, "14502", question)).toEqual(["error 14502", "  at a", "  at b"]);
});

test("a giant line is cut around the match, never inside a character", () => {
  const [line = ""] = quoteLines(`${"😀".repeat(900)}14502${"😀".repeat(901)}`, "14502", question);
  expect(line).toContain("14502");
  expect(line.length).toBeLessThanOrEqual(302);
  expect(line.isWellFormed()).toBe(true);
});
