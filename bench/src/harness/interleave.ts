import { LIMIT, OURS, type Case } from "./measure.js";
import { median } from "./statistics.js";

/** One subject at one piece of work: runs it once and gives its figures by metric. */
export type Subject = () => Promise<Readonly<Record<string, number>>>;

export interface InterleaveOptions {
  readonly rounds: number;
  /** Rounds before, whose figures are thrown away. */
  readonly warmUpRounds?: number | undefined;
}

/**
 * Runs all subjects in turn, round by round, each round starting one further on, so that what else
 * the machine does meets all of them alike. A subject that throws is out, and its message is kept.
 *
 * @returns a case for each metric; ratios are made within a round, and the median of those is given
 */
export async function interleave(
  name: string,
  subjects: Readonly<Record<string, Subject>>,
  { rounds, warmUpRounds = 0 }: InterleaveOptions,
): Promise<readonly Case[]> {
  const names = Object.keys(subjects);
  const remarks: Record<string, string> = {};
  const figures: Record<string, Readonly<Record<string, number>>>[] = [];
  for (let round = -warmUpRounds; round < rounds; round++) {
    const ofRound: Record<string, Readonly<Record<string, number>>> = {};
    for (let step = 0; step < names.length; step++) {
      const subject = names[(step + round + warmUpRounds) % names.length] ?? "";
      const run = subjects[subject];
      if (run === undefined || subject in remarks) continue;
      try {
        ofRound[subject] = await run();
      } catch (error) {
        // A product that fails is a fault of the bench's run, not a remark beside a figure.
        if (subject === OURS || subject === LIMIT) throw error;
        remarks[subject] = `fails: ${error instanceof Error ? error.message : String(error)}`;
      }
    }
    if (round >= 0) figures.push(ofRound);
  }
  return toCases(name, names, figures, remarks);
}

/** Makes cases of figures that were taken elsewhere, round by round, subject by subject. */
export function toCases(
  name: string,
  subjects: readonly string[],
  rounds: readonly Readonly<Record<string, Readonly<Record<string, number>>>>[],
  remarks: Readonly<Record<string, string>> = {},
): readonly Case[] {
  const metrics = [
    ...new Set(rounds.flatMap((round) => Object.values(round).flatMap((one) => Object.keys(one)))),
  ];
  return metrics.map((metric) => {
    const valuesOf = (subject: string): number[] =>
      rounds.flatMap((round) => round[subject]?.[metric] ?? []);
    const ratioTo = (subject: string): number | null => {
      const ratios = rounds.flatMap((round) => {
        const [ours, theirs] = [round[OURS]?.[metric], round[subject]?.[metric]];
        return ours === undefined || theirs === undefined || theirs === 0 ? [] : ours / theirs;
      });
      return ratios.length === 0 ? null : median(ratios);
    };
    const measured = subjects.filter((subject) => valuesOf(subject).length > 0);
    return {
      name,
      metric,
      medians: Object.fromEntries(measured.map((subject) => [subject, median(valuesOf(subject))])),
      ratioToLimit: ratioTo(LIMIT),
      ratioToRivals: Object.fromEntries(
        measured.flatMap((subject) => {
          const ratio = subject === OURS || subject === LIMIT ? null : ratioTo(subject);
          return ratio === null ? [] : [[subject, ratio]];
        }),
      ),
      rounds: rounds.length,
      remarks: Object.keys(remarks).length === 0 ? undefined : remarks,
    };
  });
}
