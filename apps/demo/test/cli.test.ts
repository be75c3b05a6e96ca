import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { connect, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeDirectory } from "./support/run.js";

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const isBuilt = existsSync(fileURLToPath(new URL("../dist/demo.js", import.meta.url)));

interface Cli {
  readonly child: ChildProcess;
  /** What stdout has brought so far, and what it brings. */
  readonly output: () => string;
  readonly ended: Promise<{ code: number | null; output: string; errors: string }>;
}

function start(argv: readonly string[], env: Record<string, string>): Cli {
  const child = spawn(process.execPath, [MAIN, ...argv], {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const ended = once(child, "close").then(([code]) => ({
    code: code as number | null,
    output,
    errors,
  }));
  return { child, output: () => output, ended };
}

async function seen({ child, output }: Cli, text: string): Promise<void> {
  while (!output().includes(text))
    await once(child.stdout as NonNullable<typeof child.stdout>, "data");
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a TCP port has an address with a port.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

describe.skipIf(!isBuilt)("the program (skipped unless apps/demo is built)", () => {
  test("takes relative paths from where npm was called", async () => {
    const directory = await makeDirectory();
    await writeFile(join(directory, "app.log"), "10:30 ERROR q7 failed: disk full\n");
    const { ended } = start(["app.log", "What of q7?"], { INIT_CWD: directory, TMPDIR: directory });
    expect(await ended).toMatchObject({ code: 0, errors: "" });
    expect((await ended).output).toContain("> 10:30 ERROR q7 failed: disk full");
  });

  test("leaves with one line, no files and no process when it is interrupted", async () => {
    const directory = await makeDirectory();
    const port = await freePort();
    const cli = start(["--port", String(port)], { TMPDIR: directory });
    await seen(cli, "→ read_file");
    expect(await isListening(port)).toBe(true);
    cli.child.kill("SIGINT");
    cli.child.kill("SIGINT");
    expect(await cli.ended).toMatchObject({ code: 130, errors: "demo: interrupted\n" });
    expect(await readdir(directory)).toEqual([]);
    expect(await isListening(port)).toBe(false);
  });

  test("stops when nobody reads its output", async () => {
    const directory = await makeDirectory();
    const port = await freePort();
    const cli = start(["--port", String(port)], { TMPDIR: directory });
    await seen(cli, "model:");
    cli.child.stdout?.destroy();
    const { code, errors } = await cli.ended;
    expect(code).toBe(141);
    expect(errors).toMatch(/^demo: [^\n]+\n$/u);
    expect(await readdir(directory)).toEqual([]);
    expect(await isListening(port)).toBe(false);
  });

  test("ends with one line and no stack trace when the port is in use", async () => {
    const directory = await makeDirectory();
    const server = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const { ended } = start(["--port", String(port)], { TMPDIR: directory });
    expect(await ended).toMatchObject({ code: 1, output: "" });
    expect((await ended).errors).toMatch(/^demo: [^\n]*in use[^\n]*\n$/u);
    expect(await readdir(directory)).toEqual([]);
  });
});
