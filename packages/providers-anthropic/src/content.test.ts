import { call, user } from "@llm-worker/wire-testing";
import type { Item } from "llm-worker";
import { describe, expect, test } from "vitest";
import { messagesOf } from "../test/history.js";

describe("images and files", () => {
  const png = { type: "base64", mediaType: "image/png", data: "iVBORw0KGgo=" } as const;
  const pdf = { type: "base64", mediaType: "application/pdf", data: "JVBERi0=" } as const;
  const one = (part: object): unknown => {
    // The parts below are all of the union.
    const content = [part as never];
    const [[, block]] = messagesOf([{ type: "message", role: "user", content }]) as [
      [string, unknown],
    ];
    return block;
  };

  test("become image and document blocks", () => {
    expect(one({ type: "image", source: png })).toEqual({
      type: "image",
      source: { type: "base64", media_type: "image/png", data: png.data },
    });
    expect(one({ type: "image", source: { type: "url", url: "https://x.test/a" } })).toEqual({
      type: "image",
      source: { type: "url", url: "https://x.test/a" },
    });
    expect(one({ type: "file", source: pdf, name: "a.pdf" })).toEqual({
      type: "document",
      source: { type: "base64", media_type: "application/pdf", data: pdf.data },
      title: "a.pdf",
    });
    expect(
      one({ type: "file", source: { type: "url", url: "https://x.test/b" }, name: " " }),
    ).toEqual({
      type: "document",
      source: { type: "url", url: "https://x.test/b" },
    });
    const text = {
      type: "base64",
      mediaType: "text/csv",
      data: Buffer.from("grüße").toString("base64"),
    };
    expect(one({ type: "file", source: text })).toEqual({
      type: "document",
      source: { type: "text", media_type: "text/plain", data: "grüße" },
    });
  });

  test("of types that the server refuses are named to the model instead", () => {
    expect(one({ type: "image", source: { ...png, mediaType: "image/tiff" } })).toMatchObject({
      type: "text",
      text: expect.stringContaining("image/tiff"),
    });
    expect(one({ type: "file", source: { ...pdf, mediaType: "application/zip" } })).toMatchObject({
      type: "text",
      text: expect.stringContaining("application/zip"),
    });
  });

  test("go along with a tool's result", () => {
    const item: Item = {
      type: "tool_result",
      callId: "1",
      summary: "a picture",
      content: "and its text",
      parts: [{ type: "image", source: png }],
    };
    expect(messagesOf([user("a"), call("1"), item])).toMatchObject([
      {},
      {},
      ["user", { content: [{ type: "text", text: "a picture\nand its text" }, { type: "image" }] }],
    ]);
  });
});
