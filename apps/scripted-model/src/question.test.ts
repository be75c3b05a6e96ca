import fc from "fast-check";
import { expect, test } from "vitest";
import { isContinuation, readQuestion } from "./question.js";

test.each([
  ["In big.log, what happened?", ["big.log"]],
  ["Compare src/a.ts and ./b/c.json.", ["src/a.ts", "./b/c.json"]],
  ["What is in the Makefile?", ["Makefile"]],
  ["请看big.log里的内容", ["big.log"]],
  ["Что в файле отчёт.txt?", ["отчёт.txt"]],
  ['What does "my notes.txt" say?', ["my notes.txt"]],
  ["List logs/", ["logs/"]],
  ["What do big.log.1 and `logs/app.0` say?", ["logs/app.0", "big.log.1"]],
  ["Mail bob@example.com or see https://example.com/a.html, e.g. today and/or 24/7", []],
  ["Is v1.2.3 newer than 3.5?", []],
  ["What is server.port in conf.json?", ["conf.json"]],
])("%s names these files", (text, paths) => {
  expect(readQuestion(text).paths).toEqual(paths);
});

test.each([
  ["In big.log, what happened to request 7f3a?", ["7f3a", "request"]],
  ["What is the email of user 14502 in users.json?", ["14502", "email", "user"]],
  ['Which files mention "retry budget"?', ["retry budget"]],
  ["Was steht dort über den Fehler ECONNRESET?", ["ECONNRESET", "Fehler"]],
  ["Where is maxRetryCount or retry_budget set?", ["maxRetryCount", "retry_budget", "set"]],
  ["What does Ada Lovelace say about the analytical engine?", ["Ada Lovelace", "Lovelace", "Ada"]],
  ["请告诉我请求7f3a发生了什么", ["7f3a"]],
])("%s has these terms first", (text, terms) => {
  const found = readQuestion(text).terms.map((term) => term.text);
  expect(found.slice(0, terms.length)).toEqual(terms);
});

test("the numbers of a place are not terms", () => {
  expect(readQuestion("Show lines 20-50")).toMatchObject({
    terms: [],
    place: { type: "lines", first: 20, last: 50 },
  });
});

test("quoted text is a literal in any language's quotes", () => {
  for (const text of [
    'a "x y"?',
    "a “x y”?",
    "a „x y“?",
    "a « x y » ?",
    "a 「x y」?",
    "a `x y`?",
    "a 'x y'?",
  ]) {
    expect(readQuestion(text).terms[0]).toEqual({ text: "x y", rank: "literal" });
  }
});

test("an apostrophe is no quote", () => {
  const { terms } = readQuestion("What's in the user's and the admin's mailbox?");
  expect(terms.every((term) => term.rank !== "literal")).toBe(true);
});

test("only a message that says nothing else is a continuation", () => {
  expect(["continue", "Go on.", "Please continue", "weiter", "继续"].every(isContinuation)).toBe(
    true,
  );
  expect(["continue with big.log", "go on holiday", ""].some(isContinuation)).toBe(false);
});

test("any text can be a question", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      expect(readQuestion(text).terms.length).toBeLessThanOrEqual(8);
    }),
  );
});

test("a question with a megabyte of data is read in a moment", () => {
  const text = `${'"a/b.'.repeat(100_000)}${"a".repeat(500_000)}`;
  expect(readQuestion(text).paths.length).toBeLessThanOrEqual(4);
});
