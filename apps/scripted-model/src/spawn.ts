import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { isObject } from "./json.js";
import type { ScriptedModelOptions } from "./server.js";

/** A scripted model in a process of its own. */
export interface ScriptedModelProcess {
  /** Such as `http://127.0.0.1:40123`: the base URL for a provider. */
  readonly url: string;
  readonly pid: number;
  /** Ends the process. Resolves when it is gone. */
  close(): Promise<void>;
}

const CLOSE_TIMEOUT_MS = 2000;

/**
 * Starts a scripted model as a child process, which ends with this one whatever ends it. The package
 * has to be built.
 *
 * @throws Error with one line that says what is wrong: port in use, not built
 */
export async function spawnScriptedModel(
  options: ScriptedModelOptions = {},
): Promise<ScriptedModelProcess> {
  const main = findMain();
  if (!existsSync(main)) {
    throw new Error("scripted-model is not built: run `npm run build` first");
  }
  const child = spawn(process.execPath, [main, ...writeFlags(options)], {
    stdio: ["pipe", "pipe", "pipe"],
    env: childEnvironment(),
  });
  const url = await waitForUrl(child);
  child.stderr.pipe(process.stderr, { end: false });
  release(child);
  return {
    url,
    // A child that has printed its URL was started, so it has a pid.
    pid: child.pid as number,
    close: () => close(child),
  };
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** What a process needs to start at all, and to be measured. Keys of real providers stay here. */
const PASSED_VARIABLES = [
  "PATH",
  "LD_LIBRARY_PATH",
  "DYLD_LIBRARY_PATH",
  "SystemRoot",
  "NODE_V8_COVERAGE",
];

function childEnvironment(): Record<string, string> {
  return Object.fromEntries(
    PASSED_VARIABLES.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** From the sources, as in tests, the built file is run: Node does not run TypeScript. */
function findMain(): string {
  const place = import.meta.url.endsWith(".ts") ? "../dist/main.js" : "./main.js";
  return fileURLToPath(new URL(place, import.meta.url));
}

function writeFlags(options: ScriptedModelOptions): string[] {
  const flags: [string, number | boolean | undefined][] = [
    ["--port", options.port],
    ["--rate-limit-once", options.rateLimitOnceSeconds],
    ["--overload-once", options.overloadOnce],
    ["--cut-stream-once", options.cutStreamOnce],
    ["--slow", options.slowMs],
    ["--seed", options.seed],
  ];
  return flags.flatMap(([flag, value]) => {
    if (value === undefined || value === false) return [];
    return value === true ? [flag] : [flag, String(value)];
  });
}

async function waitForUrl(child: Child): Promise<string> {
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint += text;
  });
  // "close" comes when the process has ended and all that it wrote was read.
  const ended = once(child, "close").then(([code]) => {
    const [line = ""] = complaint.split("\n", 1);
    throw new Error(line || `scripted-model ended with code ${String(code)} before it listened`);
  });
  const printed = once(createInterface({ input: child.stdout }), "line").then(([line]) => {
    const started: unknown = JSON.parse(String(line));
    if (!isObject(started)) throw new Error("scripted-model printed no URL");
    return String(started["url"]);
  });
  try {
    return await Promise.race([printed, ended]);
  } finally {
    // Later the end of the child is no failure.
    ended.catch(() => {});
    printed.catch(() => {});
    child.stderr.removeAllListeners("data");
  }
}

/** Lets this process end although the child still runs: the child then ends too. */
function release(child: Child): void {
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) {
    // Pipes of a child are sockets, which can be released; their types do not say so.
    (stream as Partial<{ unref(): void }>).unref?.();
  }
}

async function close(child: Child): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  const exited = once(child, "exit");
  const timer = setTimeout(() => child.kill("SIGKILL"), CLOSE_TIMEOUT_MS);
  child.stdin.end();
  await exited;
  clearTimeout(timer);
}
