import { OURS, type Case, type Goal } from "../harness/measure.js";
import type { InstalledSize } from "./installed-size.js";
import { startCases } from "./start-cases.js";

const MAX_IMPORT_CPU_MS = [30, 45];
const MAX_ADDED_RSS_MB = 12;
const MAX_INSTALLED_MB = 1.5;
const MAX_PACKAGES = 8;
/** The product needs them in any case. */
const NOT_OURS = ["zod", "undici"];
const CLOUD_SDK = /^@(?:aws-sdk|smithy|azure|google-cloud)\//;

/** Holds the figures against G16 and G17. */
export function checkStartGoals(
  cases: readonly Case[],
  whole: InstalledSize | undefined,
): readonly Goal[] {
  const figure = (name: string, metric: string): number =>
    cases.find((row) => row.name === name && row.metric === metric)?.medians[OURS] ?? Number.NaN;
  const imports = startCases.map(({ name }, index): Goal => {
    const [cpu, rss] = [figure(name, "import CPU ms"), figure(name, "added RSS MB")];
    const maxCpu = MAX_IMPORT_CPU_MS[index] ?? 0;
    return {
      id: "G16",
      bound: `${name}: import at most ${maxCpu} CPU ms, added RSS at most ${MAX_ADDED_RSS_MB} MB`,
      found: `${cpu.toFixed(1)} ms, ${rss.toFixed(1)} MB`,
      isMet: cpu <= maxCpu && rss <= MAX_ADDED_RSS_MB,
    };
  });
  const packages = whole?.packages ?? [];
  const hasCloudSdk = packages.some(({ name }) => CLOUD_SDK.test(name));
  const own = packages.filter(({ name }) => !NOT_OURS.includes(name));
  const ownMegabytes = own.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6;
  const megabytes = (whole?.bytes ?? Number.NaN) / 1e6;
  return [
    ...imports,
    {
      id: "G17",
      bound: `four providers and files: at most ${MAX_INSTALLED_MB} MB of our own, at most ${MAX_PACKAGES} packages, no cloud SDK`,
      found: `${ownMegabytes.toFixed(2)} MB, ${packages.length} packages, ${hasCloudSdk ? "a" : "no"} cloud SDK`,
      isMet: ownMegabytes <= MAX_INSTALLED_MB && packages.length <= MAX_PACKAGES && !hasCloudSdk,
    },
    {
      id: "G17, whole",
      bound: `the same with ${NOT_OURS.join(" and ")}: at most ${MAX_INSTALLED_MB} MB`,
      found: `${megabytes.toFixed(2)} MB`,
      isMet: megabytes <= MAX_INSTALLED_MB,
    },
  ];
}
