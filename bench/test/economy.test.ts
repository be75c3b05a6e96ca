import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runEconomy } from "../src/economy/economy.js";
import type { SetupFigures } from "../src/economy/measure.js";
import type { GoalCheck } from "../src/economy/report.js";
import { setups } from "../src/economy/setups.js";
import { sessionJsonl, turns } from "./session.js";

describe("npm run bench -- economy", () => {
  let shared = "";
  let printed = "";
  beforeAll(async () => {
    shared = await mkdtemp(join(tmpdir(), "bench-"));
    const traces = join(shared, "corpus", "traces");
    await mkdir(traces, { recursive: true });
    await writeFile(join(traces, "short.jsonl"), sessionJsonl(turns));
    const long = Array.from({ length: 41 }, () => ({ calls: [{ output: "x\n".repeat(2000) }] }));
    await writeFile(join(traces, "long.jsonl.gz"), gzipSync(sessionJsonl(long)));
  });
  afterAll(() => rm(shared, { recursive: true }));

  const run = (...args: string[]): Promise<number> => {
    printed = "";
    return runEconomy(args, {
      env: { LLM_WORKER_SHARED: shared },
      currentDirectory: shared,
      write: (text) => void (printed += text),
    });
  };

  test("prints a line for each setup and writes the same as JSON", async () => {
    expect(await run("--json", "figures.json")).toBe(0);
    const { rows, goal, sessions } = JSON.parse(
      await readFile(join(shared, "figures.json"), "utf8"),
    ) as { rows: SetupFigures[]; goal: GoalCheck; sessions: number };
    expect(sessions).toBe(2);
    expect(rows.map(({ name }) => name)).toEqual(
      setups.flatMap(({ name, looks }) => looks.map(() => name)),
    );
    for (const { name } of rows) expect(printed).toContain(`\n${name} `);
    const fresh = rows.find(({ name, looks }) => name === "lazy_load/fresh" && looks === "never");
    expect(fresh?.sessions.map(({ session }) => session)).toEqual(["long", "short"]);
    expect(goal.isMet).toBe((fresh?.sentShare ?? 1) <= 0.4 && (fresh?.costShare ?? 1) <= 0.5);
    expect(printed).toContain(`nothing lost: ${goal.isMet ? "met" : "NOT met"}\n`);
  });

  test("leaves long sessions out when it is to be quick", async () => {
    await run("--quick");
    expect(printed).toMatch(/^1 of 2 recorded sessions, 10 outputs\n/);
  });

  test("says where it has looked when there are no sessions", async () => {
    const missing = join(shared, "missing");
    const context = {
      env: { LLM_WORKER_SHARED: missing },
      currentDirectory: shared,
      write: () => undefined,
    };
    await expect(runEconomy([], context)).rejects.toThrow(/LLM_WORKER_SHARED/);
  });
});
