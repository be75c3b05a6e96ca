import { call, user } from "@llm-worker/wire-testing";
import type { Item, MediaPart } from "llm-worker";
import { describe, expect, test } from "vitest";
import { contentsOf, OLD_MODEL } from "../test/history.js";

const data = (mediaType: string): MediaPart["source"] => ({
  type: "base64",
  mediaType,
  data: "AAAA",
});
const image: MediaPart = { type: "image", source: data("image/png") };
const withParts = (...content: readonly MediaPart[]): Item => ({
  type: "message",
  role: "user",
  content,
});
const resultWith = (fields: object): Item => ({
  type: "tool_result",
  callId: "1",
  summary: "ok",
  ...fields,
});

function resultContents(fields: object, model?: string): unknown {
  return contentsOf([user("a"), call("1"), resultWith(fields)], model).slice(2);
}

describe("images and files", () => {
  test.each([
    ["image/png", "image/png"],
    ["image/heic", "image/heic"],
    ["audio/mpeg", "audio/mpeg"],
    ["video/mp4", "video/mp4"],
    ["application/pdf", "application/pdf"],
    ["text/csv", "text/csv"],
    ["TEXT/Plain; charset=utf-8", "text/plain"],
    ["application/json", "text/plain"],
    ["application/ld+json", "text/plain"],
  ])("of type %s are sent as %s", (mediaType, mimeType) => {
    expect(contentsOf([withParts({ type: "file", source: data(mediaType) })])).toEqual([
      ["user", { inlineData: { mimeType, data: "AAAA" } }],
    ]);
  });

  test("given as an address are sent as that", () => {
    const url = "https://x.test/a.png";
    const parts = [
      { type: "image", source: { type: "url", url } },
      { type: "file", source: { type: "url", url, mediaType: "image/png" } },
    ] as const;
    expect(contentsOf([withParts(...parts)])).toEqual([
      [
        "user",
        { fileData: { fileUri: url } },
        { fileData: { fileUri: url, mimeType: "image/png" } },
      ],
    ]);
  });

  test("that no model reads are named instead", () => {
    expect(contentsOf([withParts({ type: "image", source: data("image/gif") })])).toEqual([
      ["user", { text: expect.stringContaining("[image of type image/gif left out: only images") }],
    ]);
  });

  test("have their name before them", () => {
    const file = { type: "file", source: data("text/csv"), name: "a.csv" } as const;
    expect(contentsOf([withParts(file)])).toMatchObject([
      ["user", { text: "[file a.csv]" }, { inlineData: {} }],
    ]);
  });

  test("of the assistant are named instead", () => {
    const made: Item = { type: "message", role: "assistant", content: [image] };
    expect(contentsOf([user("a"), made, user("b")])[1]).toEqual([
      "model",
      { text: "[an image that the assistant made is not shown here]" },
    ]);
  });
});

describe("a tool's result", () => {
  test("is one string, so that what looks like structure in it stays text", () => {
    const content = '{"$ref":"#/$defs/x","parts":[]}';
    expect(resultContents({ content })).toEqual([
      ["user", { functionResponse: { name: "add", response: { output: `ok\n${content}` } } }],
    ]);
  });

  test("that is an error says so by its key", () => {
    expect(resultContents({ summary: "no", isError: true })).toEqual([
      ["user", { functionResponse: { name: "add", response: { error: "no" } } }],
    ]);
  });

  test("holds the images and documents that a response can hold", () => {
    expect(resultContents({ parts: [image] })).toEqual([
      [
        "user",
        {
          functionResponse: {
            name: "add",
            response: { output: "ok" },
            parts: [{ inlineData: { mimeType: "image/png", data: "AAAA" } }],
          },
        },
      ],
    ]);
  });

  test("has what it cannot hold, and for older models any image, in the next content", () => {
    const besides = ["user", { text: "[shown by the tool add]" }];
    const video = { type: "file", source: data("video/mp4") } as const;
    expect(resultContents({ parts: [video] })).toEqual([
      ["user", { functionResponse: { name: "add", response: { output: "ok" } } }],
      [...besides, { inlineData: { mimeType: "video/mp4", data: "AAAA" } }],
    ]);
    expect(resultContents({ parts: [image] }, OLD_MODEL)).toEqual([
      ["user", { functionResponse: { name: "add", response: { output: "ok" } } }],
      [...besides, { inlineData: { mimeType: "image/png", data: "AAAA" } }],
    ]);
  });
});
