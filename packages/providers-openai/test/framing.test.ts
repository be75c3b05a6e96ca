import { readFileSync } from "node:fs";
import { decodeStream, piecesOf } from "@llm-worker/wire-testing";
import type { Scheme } from "llm-worker";
import { describe, expect, test } from "vitest";
import { OpenAIChatScheme } from "../src/chat/scheme.js";
import { OpenAIResponsesScheme } from "../src/responses/scheme.js";

const fixtureOf = (name: string): Buffer =>
  readFileSync(new URL(`fixtures/${name}.sse`, import.meta.url));

describe("F1, F2, F3, F4, F10: the framing", () => {
  test.each<[string, Scheme, Buffer]>([
    ["Chat", new OpenAIChatScheme({ model: "gpt-test" }), fixtureOf("chat-turn")],
    ["Responses", new OpenAIResponsesScheme({ model: "gpt-test" }), fixtureOf("responses-turn")],
  ])(
    "of %s decodes alike at any piece length, line end and form of fields",
    (_api, scheme, fixture) => {
      const whole = decodeStream(scheme, [fixture]);
      for (let length = 1; length < 40; length++) {
        expect(decodeStream(scheme, piecesOf(fixture, length))).toEqual(whole);
      }
      const text = fixture.toString();
      for (const form of [
        text.replaceAll("\n", "\r\n"),
        text.replaceAll("\n", "\r"),
        text.replaceAll("data: ", "data:"),
        text.replaceAll("data: ", "data: \t "),
        `\uFEFF${text}`,
        text.replaceAll(',"model"', ',\ndata: "model"'),
        text.trimEnd(),
      ]) {
        for (const length of [1, 7, form.length]) {
          expect(decodeStream(scheme, piecesOf(Buffer.from(form), length))).toEqual(whole);
        }
      }
    },
  );
});
