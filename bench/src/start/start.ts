import { fileURLToPath } from "node:url";
import { interleave, toCases, type Subject } from "../harness/interleave.js";
import { LIMIT, OURS, type Case, type Findings, type Measure } from "../harness/measure.js";
import type { RunOptions } from "../harness/measure.js";
import { hasRivals } from "../harness/rivals.js";
import {
  FIRST_ANSWER,
  firstAnswerCost,
  firstAnswerRivals,
  startAnswerServer,
} from "./first-answer.js";
import { importCost, PROBE } from "./import-cost.js";
import { installedSize, type InstalledSize } from "./installed-size.js";
import { installPublished, type UserProject } from "./published.js";
import { packagesOf, startCases, type Choice, type StartCase } from "./start-cases.js";
import { checkStartGoals } from "./start-goals.js";

const ROUNDS = 9;
const FIRST_ANSWER_CASE = "import to the first answer";
const RIVAL_DIRECTORY = fileURLToPath(new URL(".", PROBE));

/** Cold import, its memory, and the size of what is installed. */
export const start: Measure = {
  name: "start",
  work: "Import in a fresh process of what is published, installed from its tarballs by npm; and its size on disk.",
  limit:
    "bare Node: the same process importing nothing; to the first answer, node:http and JSON.parse.",
  run: runStart,
};

/** What was installed for one case, ours under its own name. */
export type InstalledSizes = Readonly<Record<string, InstalledSize>>;

async function runStart({ isQuick, ...options }: RunOptions): Promise<Findings> {
  const project = await installPublished();
  try {
    const cases: Case[] = [];
    const sizes: InstalledSizes[] = [];
    for (const startCase of startCases) {
      options.progress(startCase.name);
      const rivals = !hasRivals() ? [] : isQuick ? startCase.rivals.slice(0, 1) : startCase.rivals;
      cases.push(...(await measureImports(startCase, rivals, project, isQuick ? 1 : ROUNDS)));
      const ofCase = await measureSizes(startCase, rivals, project);
      sizes.push(ofCase);
      cases.push(...sizeCases(startCase.name, ofCase));
    }
    options.progress(FIRST_ANSWER_CASE);
    cases.push(...(await measureFirstAnswer(project, isQuick)));
    const whole = sizes.at(-1)?.[OURS];
    return {
      cases,
      goals: checkStartGoals(cases, whole),
      notes: notesOf(whole, hasRivals()),
      details: { sizes },
    };
  } finally {
    await project.remove();
  }
}

function measureImports(
  startCase: StartCase,
  rivals: readonly Choice[],
  project: UserProject,
  rounds: number,
): Promise<readonly Case[]> {
  const bareNode: Subject = async () => {
    const { processCpuMs, processRssMb } = await importCost(project.probe, []);
    return { "process CPU ms": processCpuMs, "process RSS MB": processRssMb };
  };
  const subject =
    (probe: string, imports: readonly string[]): Subject =>
    async () => {
      const cost = await importCost(probe, imports);
      return {
        "process CPU ms": cost.processCpuMs,
        "import CPU ms": cost.importCpuMs,
        "process RSS MB": cost.processRssMb,
        "added RSS MB": cost.addedRssMb,
      };
    };
  const probe = fileURLToPath(PROBE);
  return interleave(
    startCase.name,
    {
      [LIMIT]: bareNode,
      [OURS]: subject(project.probe, startCase.ours),
      ...Object.fromEntries(rivals.map(({ name, imports }) => [name, subject(probe, imports)])),
    },
    { rounds, warmUpRounds: rounds > 1 ? 1 : 0 },
  );
}

async function measureFirstAnswer(
  project: UserProject,
  isQuick: boolean,
): Promise<readonly Case[]> {
  const server = await startAnswerServer();
  try {
    const subject =
      (script: string, name: string): Subject =>
      async () => {
        const { cpuMs, addedRssMb } = await firstAnswerCost(script, name, server.url);
        return { "CPU ms to the first answer": cpuMs, "added RSS MB": addedRssMb };
      };
    const script = fileURLToPath(FIRST_ANSWER);
    const rivals = !hasRivals() ? [] : firstAnswerRivals.slice(0, isQuick ? 1 : Infinity);
    const ours = [LIMIT, OURS].map((name) => [name, subject(project.firstAnswer, name)]);
    const subjects = [...ours, ...rivals.map((name) => [name, subject(script, name)])];
    return await interleave(FIRST_ANSWER_CASE, Object.fromEntries(subjects), {
      rounds: isQuick ? 1 : ROUNDS,
    });
  } finally {
    server.close();
  }
}

async function measureSizes(
  { ours }: StartCase,
  rivals: readonly Choice[],
  { directory }: UserProject,
): Promise<InstalledSizes> {
  const sizes: Record<string, InstalledSize> = {
    [OURS]: await installedSize(directory, packagesOf(ours)),
  };
  for (const { name, imports } of rivals) {
    sizes[name] = await installedSize(RIVAL_DIRECTORY, packagesOf(imports));
  }
  return sizes;
}

function sizeCases(name: string, sizes: InstalledSizes): readonly Case[] {
  const round = Object.entries(sizes).map(([subject, { packages, fileCount, bytes }]) => [
    subject,
    { "installed MB": bytes / 1e6, packages: packages.length, files: fileCount },
  ]);
  return toCases(name, Object.keys(sizes), [Object.fromEntries(round)]);
}

function notesOf(whole: InstalledSize | undefined, isWithRivals: boolean): readonly string[] {
  return [
    "Import is what the processor did between the first `import()` and the end of the last, process all since its start; both with all threads.",
    "zod and undici are installed but load with the first call by a JSON schema and the first request; what is deferred is in the time to the first answer (one short text, Anthropic's wire, loopback).",
    `Installed for four providers and files: ${(whole?.packages ?? []).map(({ name, version, bytes }) => `${name} ${version} ${(bytes / 1e6).toFixed(2)} MB`).join(", ")}.`,
    ...(isWithRivals ? [] : ["The rivals are not installed: `npm run bench` does it."]),
  ];
}
