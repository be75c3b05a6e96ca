import { call, user } from "@llm-worker/wire-testing";
import type { Item, MediaPart } from "llm-worker";
import { describe, expect, test } from "vitest";
import { messagesOf } from "../test/history.js";

const data = (mediaType: string, text: string): MediaPart["source"] => ({
  type: "base64",
  mediaType,
  data: Buffer.from(text).toString("base64"),
});
const png = data("image/png", "picture");

/** The message that one part becomes. */
function one(part: MediaPart, role: "user" | "assistant" = "user"): unknown {
  return messagesOf([{ type: "message", role, content: [part] }])[0];
}

describe("images", () => {
  test("go beside the text, as data", () => {
    const item: Item = {
      type: "message",
      role: "user",
      content: [
        { type: "text", text: "a" },
        { type: "image", source: png },
        { type: "text", text: "b" },
      ],
    };
    expect(messagesOf([item])).toEqual([
      { role: "user", content: "a\n\nb", images: ["cGljdHVyZQ=="] },
    ]);
    expect(one({ type: "image", source: png })).toMatchObject({ content: "", images: [{}] });
  });

  test("go along with a tool's result", () => {
    const item: Item = {
      type: "tool_result",
      callId: "1",
      summary: "a picture",
      parts: [{ type: "image", source: png }],
    };
    expect(messagesOf([user("a"), call("1"), item])[2]).toMatchObject({
      role: "tool",
      content: "a picture",
      images: ["cGljdHVyZQ=="],
    });
  });

  test("that the server cannot decode or fetch are named to the model instead", () => {
    expect(one({ type: "image", source: data("image/tiff", "x") })).toEqual({
      role: "user",
      content: expect.stringContaining("image of type image/tiff left out"),
    });
    expect(one({ type: "image", source: { type: "url", url: "https://x.test/a.png" } })).toEqual({
      role: "user",
      content: expect.stringContaining("image given as an address left out"),
    });
  });

  test("that the assistant made are named", () => {
    expect(one({ type: "image", source: png }, "assistant")).toEqual({
      role: "assistant",
      content: "[an image that the assistant made is not shown here]",
    });
  });
});

describe("files", () => {
  test("of text are shown as text, with their name", () => {
    const source = data("text/csv", "grüße");
    expect(one({ type: "file", source })).toMatchObject({ content: "grüße" });
    expect(one({ type: "file", source, name: "a.csv" })).toMatchObject({
      content: "[file a.csv]\ngrüße",
    });
  });

  test("of other types are named to the model instead", () => {
    expect(one({ type: "file", source: data("application/pdf", "x") })).toMatchObject({
      content: expect.stringContaining("file of type application/pdf left out"),
    });
  });
});
