import { describe, expect, test } from "vitest";
import { parseArguments } from "./arguments.js";
import { UsageError } from "./demo-error.js";

describe("the command line", () => {
  test("without arguments asks about sample files with the scripted model", () => {
    expect(parseArguments([])).toEqual({
      type: "run",
      task: { type: "samples", seed: 1 },
      model: { provider: "scripted", wire: "anthropic", port: undefined },
      storeDirectory: undefined,
      format: "text",
    });
  });

  test("takes a file and a question, with quotes around it or without", () => {
    const task = { type: "file", path: "app.log", question: "what went wrong" };
    expect(parseArguments(["app.log", "what went wrong"])).toMatchObject({ task });
    expect(parseArguments(["app.log", "what", "went", "wrong"])).toMatchObject({ task });
  });

  test("takes a file without a question", () => {
    const task = { type: "file", path: "app.log", question: undefined };
    expect(parseArguments(["app.log"])).toMatchObject({ task });
  });

  test("takes a folder and a question", () => {
    const task = { type: "directory", path: "src", question: "who?" };
    expect(parseArguments(["--dir", "src", "who?"])).toMatchObject({ task });
  });

  test("takes a provider with its model and address", () => {
    const baseUrl = "http://127.0.0.1:8080";
    expect(
      parseArguments(["--provider", "anthropic", "--model", "m", "--base-url", baseUrl]),
    ).toMatchObject({ model: { provider: "anthropic", model: "m", baseUrl } });
    expect(parseArguments(["--provider", "openai-chat"])).toMatchObject({
      model: { provider: "openai-chat", model: undefined, baseUrl: undefined },
    });
  });

  test("takes the wire that the scripted model is to speak", () => {
    expect(parseArguments(["--provider", "scripted", "--wire", "gemini"])).toMatchObject({
      model: { provider: "scripted", wire: "gemini" },
    });
    expect(parseArguments(["--wire", "ollama", "--port", "1"])).toMatchObject({
      model: { provider: "scripted", wire: "ollama", port: 1 },
    });
  });

  test("asks for help wherever the flag stands", () => {
    expect(parseArguments(["app.log", "-h"])).toEqual({ type: "help" });
    expect(parseArguments(["--help"])).toEqual({ type: "help" });
  });

  test.each([
    ["an unknown flag", ["--colour"], "'--colour'"],
    ["a flag without its value", ["--store"], "--store"],
    ["an unknown provider", ["--provider", "acme"], '"acme"'],
    ["a folder without a question", ["--dir", "src"], "needs a question"],
    ["an empty folder name", ["--dir", "", "who?"], "--dir is empty"],
    ["an empty file name", [""], "FILE is empty"],
    ["an empty question", ["app.log", " "], "question is empty"],
    ["a port that is none", ["--port", "70000"], "65535"],
    ["a port for a real model", ["--provider", "openai", "--model", "m", "--port", "1"], "--port"],
    ["an unknown wire", ["--wire", "acme"], '"acme"'],
    ["a wire for a real provider", ["--provider", "gemini", "--wire", "gemini"], "--wire"],
    ["a model for the scripted one", ["--model", "m"], "--model needs --provider"],
    ["an address for the scripted one", ["--base-url", "http://h"], "--base-url needs"],
    ["an address that is none", ["--provider", "anthropic", "--base-url", "h"], "address"],
    ["a seed that is no number", ["--seed", "-1x"], "--seed"],
    ["a seed for a file of one's own", ["--seed", "2", "app.log"], "sample files"],
  ])("refuses %s in one line", (_, argv, words) => {
    expect(() => parseArguments(argv)).toThrow(UsageError);
    expect(() => parseArguments(argv)).toThrow(words);
    expect(() => parseArguments(argv)).toThrow(/^[^\n]*\(--help tells more\)$/u);
  });
});
