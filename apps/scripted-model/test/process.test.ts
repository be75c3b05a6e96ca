import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type * as ScriptedModelPackage from "../src/index.js";
import { post, requestBody } from "./support/messages.js";

const app = fileURLToPath(new URL("..", import.meta.url));
let built: string;
let scriptedModel: typeof ScriptedModelPackage;

// Processes run built files: these are built here, so that they are never those of another day.
beforeAll(async () => {
  built = await mkdtemp(join(tmpdir(), "scripted-model-"));
  const typescript = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));
  const tsc = join(typescript, "bin", "tsc");
  const out = ["--outDir", built, "--tsBuildInfoFile", join(built, "tsbuildinfo")];
  const project = join(app, "tsconfig.build.json");
  await promisify(execFile)(process.execPath, [tsc, "-p", project, ...out]);
  await writeFile(join(built, "package.json"), '{"type":"module"}');
  scriptedModel = await import(/* @vite-ignore */ pathToFileURL(join(built, "index.js")).href);
});
afterAll(() => rm(built, { recursive: true }));

function runMain(...flags: string[]): ReturnType<typeof execFile> {
  return execFile(process.execPath, [join(built, "main.js"), ...flags]);
}

async function outcome(
  child: ReturnType<typeof execFile>,
): Promise<{ code: unknown; stderr: string }> {
  let stderr = "";
  child.stderr?.on("data", (text: string) => {
    stderr += text;
  });
  const [code] = await once(child, "close");
  return { code, stderr };
}

/** Resolves when nothing listens at a URL any more. */
async function untilRefused(url: string): Promise<void> {
  const answers = await fetch(url).then(
    (response) => response.status > 0,
    () => false,
  );
  if (answers) await untilRefused(url);
}

test("the process prints its URL in one line, serves, and ends when its stdin closes", async () => {
  const child = runMain("--port", "0", "--seed", "3");
  const [line] = await once(child.stdout ?? child, "data");
  const { url } = JSON.parse(String(line));
  expect((await post(url, requestBody())).status).toBe(200);
  child.stdin?.end();
  expect(await outcome(child)).toEqual({ code: 0, stderr: "" });
  await untilRefused(url);
});

test("a port in use is one clear line and exit code 1", async () => {
  const model = await scriptedModel.startScriptedModel();
  const { port } = new URL(model.url);
  expect(await outcome(runMain("--port", port))).toEqual({
    code: 1,
    stderr: "scripted-model: the port is in use: choose another --port, or none for a free one\n",
  });
  await expect(scriptedModel.spawnScriptedModel({ port: Number(port) })).rejects.toThrow(
    /^scripted-model: the port is in use[^\n]*$/,
  );
  await model.close();
});

test.each([["--nope"], ["--port", "x"], ["--slow"]])(
  "%s is answered with the usage, in one line",
  async (...flags) => {
    const { code, stderr } = await outcome(runMain(...flags));
    expect(code).toBe(1);
    expect(stderr).toMatch(/^scripted-model: .*usage: scripted-model .*\n$/);
  },
);

test("a spawned model plays its faults and is gone after close", async () => {
  const model = await scriptedModel.spawnScriptedModel({ rateLimitOnceSeconds: 3, seed: 2 });
  expect((await post(model.url, requestBody())).headers.get("retry-after")).toBe("3");
  expect((await post(model.url, requestBody())).status).toBe(200);
  await model.close();
  await model.close();
  expect(() => process.kill(model.pid, 0)).toThrow("ESRCH");
});

test.skipIf(process.platform !== "linux")(
  "a spawned model does not get the environment of its parent (needs /proc)",
  async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "a secret");
    const model = await scriptedModel.spawnScriptedModel();
    vi.unstubAllEnvs();
    const environment = await readFile(`/proc/${model.pid}/environ`, "utf8");
    const names = environment.split("\0").map((entry) => entry.replace(/=.*$/su, ""));
    expect(names).toContain("PATH");
    expect(names).not.toContain("ANTHROPIC_API_KEY");
    expect(names).not.toContain("HOME");
    await model.close();
  },
);

const parentScript = (rest: string): string =>
  `const { spawnScriptedModel } = await import(${JSON.stringify(pathToFileURL(join(built, "index.js")).href)});
   const model = await spawnScriptedModel();
   console.log(model.url);
   ${rest}`;

test("a parent that is killed leaves no model behind", async () => {
  const script = parentScript("setInterval(() => {}, 1000);");
  const parent = spawn(process.execPath, ["--input-type=module", "-e", script]);
  const [line] = await once(parent.stdout, "data");
  const url = String(line).trim();
  expect((await post(url, requestBody())).status).toBe(200);
  parent.kill("SIGKILL");
  await untilRefused(url);
});

test("a parent that forgets to close can end all the same, and its model ends with it", async () => {
  const parent = execFile(process.execPath, ["--input-type=module", "-e", parentScript("")]);
  const [line] = await once(parent.stdout ?? parent, "data");
  expect(await outcome(parent)).toEqual({ code: 0, stderr: "" });
  await untilRefused(String(line).trim());
});
