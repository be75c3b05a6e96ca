import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const isBuilt = existsSync(new URL("../dist/decode-command.js", import.meta.url));

function script(name: string, args: readonly string[], input: string): unknown {
  const path = fileURLToPath(new URL(`../../${name}.mjs`, import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...args], {
    input,
    encoding: "utf8",
  });
  return { status, stderr, printed: stdout === "" ? undefined : JSON.parse(stdout) };
}

describe.skipIf(!isBuilt)(
  `the scripts as programs${isBuilt ? "" : " (skipped: not built)"}`,
  () => {
    test("wire-decode prints an outcome", () => {
      const line = { message: { content: "Hi" }, done: true, done_reason: "stop" };
      expect(script("wire-decode", ["ollama", "-"], JSON.stringify(line))).toMatchObject({
        status: 0,
        stderr: "",
        printed: { outcome: "ok", text: "Hi", stop: { reason: "end" } },
      });
    });

    test("wire-decode says what is wrong in its exit code", () => {
      expect(script("wire-decode", ["ollama"], "")).toMatchObject({
        status: 2,
        stderr: expect.stringContaining("FILE is missing"),
      });
    });

    test("wire-request prints a request", () => {
      const items = [{ type: "message", role: "user", content: [{ type: "text", text: "Hi" }] }];
      expect(script("wire-request", ["anthropic"], JSON.stringify(items))).toMatchObject({
        status: 0,
        stderr: "",
        printed: { path: "/v1/messages", body: { model: "test-model" } },
      });
    });
  },
);
