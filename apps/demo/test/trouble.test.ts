import { once } from "node:events";
import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { startScriptedModel } from "scripted-model";
import { describe, expect, onTestFinished, test } from "vitest";
import { Interruption } from "../src/demo-error.js";
import { demo, makeDirectory } from "./support/run.js";

const isRoot = process.getuid?.() === 0;

async function makeFiles(): Promise<string> {
  const directory = await makeDirectory();
  await mkdir(join(directory, "folder"));
  await writeFile(join(directory, "file.txt"), "text\n".repeat(1000));
  return directory;
}

describe("bad input is one line and an exit code", () => {
  test.each([
    ["a missing file", ["nowhere.log", "what?"], "nowhere.log: no such file"],
    ["a folder as file", ["folder", "what?"], "--dir"],
    ["a missing folder", ["--dir", "nowhere", "what?"], "nowhere: no such file or directory"],
    ["a file as folder", ["--dir", "file.txt", "what?"], "not a folder"],
    ["a file as store", ["file.txt", "what?", "--store", "file.txt"], "--store file.txt: "],
    ["a store below a file", ["file.txt", "what?", "--store", "file.txt/x"], "not a directory"],
    ["no key for a model", ["--provider", "anthropic", "--model", "m"], "ANTHROPIC_API_KEY"],
    [
      "no key for the provider's own address",
      ["--provider", "openai", "--base-url", "https://api.openai.com/v1"],
      "OPENAI_API_KEY",
    ],
    ["an unknown wire", ["--wire", "acme"], "unknown wire"],
    ["an unknown provider", ["--provider", "acme"], "unknown provider"],
    ["an unknown flag", ["--frobnicate"], "--frobnicate"],
  ])("%s", async (_, argv, words) => {
    const temporaryDirectory = await makeDirectory();
    const currentDirectory = await makeFiles();
    const run = await demo(argv, { temporaryDirectory, currentDirectory });
    expect(run.exitCode).toBeGreaterThan(0);
    expect(run.output).toBe("");
    expect(run.errors).toContain(words);
    expect(run.errors).toMatch(/^demo: [^\n]+\n$/u);
    expect(await readdir(temporaryDirectory)).toEqual([]);
  });

  test.skipIf(isRoot)("a file that may not be read (skipped for root, who may)", async () => {
    const currentDirectory = await makeFiles();
    await chmod(join(currentDirectory, "file.txt"), 0o000);
    const run = await demo(["file.txt", "what?"], { currentDirectory });
    expect(run).toMatchObject({ exitCode: 1, errors: "demo: file.txt: permission denied\n" });
  });

  test("a port that is in use", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    // A server that listens on a TCP port has an address with a port.
    const { port } = server.address() as AddressInfo;
    const run = await demo(["--port", String(port)]);
    expect(run).toMatchObject({ exitCode: 1, output: "" });
    expect(run.errors).toMatch(/^demo: the scripted model does not start: [^\n]*in use[^\n]*\n$/iu);
  });

  test.each([
    ["anthropic", "", "ANTHROPIC_API_KEY"],
    ["openai", "/v1", "OPENAI_API_KEY"],
    ["openai-chat", "/v1", "OPENAI_API_KEY"],
    ["gemini", "", "GEMINI_API_KEY"],
  ])("a key of %s that the server refuses", async (provider, path, variable) => {
    const server = await startScriptedModel();
    onTestFinished(() => server.close());
    const run = await demo(["--provider", provider, "--base-url", server.url + path], {
      env: { [variable]: "bad-key" },
    });
    expect(run.exitCode).toBe(1);
    expect(run.errors).toMatch(/^demo: [^\n]*\(auth\)[^\n]*\n$/u);
    expect(run.errors).not.toContain("bad-key");
  });

  test("a port for the scripted model where a key says that a real one is to answer", async () => {
    const run = await demo(["--provider", "gemini", "--port", "1"], {
      env: { GEMINI_API_KEY: "k" },
    });
    expect(run).toMatchObject({ exitCode: 1, output: "" });
    expect(run.errors).toMatch(/^demo: --port [^\n]*GEMINI_API_KEY[^\n]*--wire gemini\n$/u);
  });

  test("a server that is not there", async () => {
    const server = await startScriptedModel();
    await server.close();
    const run = await demo(["--provider", "ollama", "--base-url", server.url]);
    expect(run.exitCode).toBe(1);
    expect(run.errors).toMatch(/^demo: [^\n]*\(network\)[^\n]*\n$/u);
  });
});

describe("an interruption", () => {
  test.each(["→ read_file", "→ inspect", "model:"])(
    "at %s ends the run and tidies up",
    async (at) => {
      const temporaryDirectory = await makeDirectory();
      const aborting = new AbortController();
      const run = await demo([], {
        temporaryDirectory,
        signal: aborting.signal,
        write: (text) => {
          if (text.startsWith(at, text.startsWith("\n") ? 1 : 0)) {
            aborting.abort(new Interruption("interrupted", 130));
          }
        },
      });
      expect(run).toMatchObject({ exitCode: 130, errors: "demo: interrupted\n" });
      expect(run.output).not.toContain("all requests");
      expect(await readdir(temporaryDirectory)).toEqual([]);
    },
  );
});
