import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runBench } from "../src/cli.js";
import { economy } from "../src/economy/economy.js";
import type { SetupFigures } from "../src/economy/measure.js";
import type { GoalCheck } from "../src/economy/report.js";
import { setups } from "../src/economy/setups.js";
import { sessionJsonl, turns } from "./session.js";

interface Details {
  readonly sessions: number;
  readonly goal: GoalCheck;
  readonly rows: readonly SetupFigures[];
}

describe("npm run bench -- economy", () => {
  let shared = "";
  let printed = "";
  let told = "";
  beforeAll(async () => {
    shared = await mkdtemp(join(tmpdir(), "bench-"));
    const traces = join(shared, "corpus", "traces");
    await mkdir(traces, { recursive: true });
    await writeFile(join(traces, "short.jsonl"), sessionJsonl(turns));
    const long = Array.from({ length: 41 }, () => ({ calls: [{ output: "x\n".repeat(2000) }] }));
    await writeFile(join(traces, "long.jsonl.gz"), gzipSync(sessionJsonl(long)));
  });
  afterAll(() => rm(shared, { recursive: true }));

  const run = (args: readonly string[], sharedDirectory = shared): Promise<number> => {
    printed = told = "";
    return runBench(["economy", ...args], [economy], {
      env: { LLM_WORKER_SHARED: sharedDirectory },
      currentDirectory: shared,
      resultsFile: join(shared, "RESULTS.md"),
      write: (text) => void (printed += text),
      progress: (line) => void (told += `${line}\n`),
    });
  };

  test("prints a line for each setup and writes the same as JSON", async () => {
    expect(await run(["--json", "figures.json"])).toBe(0);
    const { measures } = JSON.parse(await readFile(join(shared, "figures.json"), "utf8")) as {
      measures: { name: string; findings: { details: Details } }[];
    };
    expect(measures.map(({ name }) => name)).toEqual(["economy"]);
    const details = measures[0]?.findings.details;
    expect(details?.sessions).toBe(2);
    expect(details?.rows.map(({ name }) => name)).toEqual(
      setups.flatMap(({ name, looks }) => looks.map(() => name)),
    );
    for (const { name } of details?.rows ?? []) expect(printed).toContain(`\n| ${name} `);
    const fresh = details?.rows.find(
      ({ name, looks }) => name === "lazy_load/fresh" && looks === "never",
    );
    expect(fresh?.sessions.map(({ session }) => session)).toEqual(["long", "short"]);
    expect(details?.goal.isMet).toBe(
      (fresh?.sentShare ?? 1) <= 0.4 && (fresh?.costShare ?? 1) <= 0.5,
    );
    expect(await readFile(join(shared, "RESULTS.md"), "utf8")).toContain(printed.trim());
  });

  test("leaves long sessions out when it is to be quick, and the results as they are", async () => {
    await rm(join(shared, "RESULTS.md"), { force: true });
    expect(await run(["--quick"])).toBe(0);
    expect(printed).toContain("- 1 of 2 recorded sessions, 10 outputs.\n");
    await expect(readFile(join(shared, "RESULTS.md"))).rejects.toThrow("ENOENT");
  });

  test("says where it has looked when there are no sessions, and fails", async () => {
    expect(await run([], join(shared, "missing"))).toBe(1);
    expect(told).toContain("LLM_WORKER_SHARED");
  });
});
