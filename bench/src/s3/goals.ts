import { OURS, type Case, type Goal } from "../harness/measure.js";
import { formatNumber } from "../harness/report.js";

const MAX_REQUESTS = 2;
const MAX_EXTRA_KB = 262.144;
const MAX_CPU_RATIO = 1.2;

/** What of the goals is met. @param sdk the SDK's name among the subjects */
export function checkGoals(cases: readonly Case[], sdk: string): readonly Goal[] {
  const most = (metric: string): number =>
    Math.max(
      ...cases.filter((one) => one.metric === metric).map(({ medians }) => medians[OURS] ?? 0),
    );
  const cpu = cases.filter(({ metric, name }) => metric === "CPU ms" && name.startsWith("get"));
  return [
    goal("requests per answer", MAX_REQUESTS, most("requests, most")),
    goal("KB read beyond an answer", MAX_EXTRA_KB, most("KB beyond the answer, most")),
    ...cpu.map(({ name, ratioToRivals }) =>
      goal(`CPU over ${sdk}, ${name}`, MAX_CPU_RATIO, ratioToRivals[sdk] ?? Number.NaN),
    ),
  ];
}

function goal(what: string, bound: number, found: number): Goal {
  return {
    id: "s3",
    bound: `${what}: at most ${formatNumber(bound)}`,
    found: formatNumber(found),
    isMet: found <= bound,
  };
}
