import { spawnScriptedModel } from "scripted-model";
import { startChild } from "../harness/child.js";
import { interleave, type Subject } from "../harness/interleave.js";
import { type Case, type Goal, OURS } from "../harness/measure.js";
import { hasRivals, rivalScript } from "../harness/rivals.js";
import type { ConversationsRequest } from "./converse-all.js";

/** The rival by its package name. */
const RIVAL = "ai";
const RIVAL_SCRIPT = "ai-conversations.mjs";
const MAX_RATIO_TO_RIVAL = 0.6;

/** How much is asked of each subject in a round. */
export type Load = Pick<ConversationsRequest, "count" | "concurrency"> & {
  readonly rounds: number;
  readonly warmUpRounds: number;
};

/**
 * CPU of a conversation, beside the same by the AI SDK with its own tool loop. Every answer is checked
 * for what it has to quote.
 *
 * @param ours the script of the child that has our conversations
 */
export async function conversationCases(
  ours: URL,
  { count, concurrency, ...rounds }: Load,
): Promise<readonly Case[]> {
  const model = await spawnScriptedModel();
  const scripts = { [OURS]: ours, ...(hasRivals() ? { [RIVAL]: rivalScript(RIVAL_SCRIPT) } : {}) };
  const children = await Promise.all(
    Object.entries(scripts).map(
      async ([name, script]) => [name, await startChild(script)] as const,
    ),
  );
  try {
    const cases: Case[] = [];
    for (const isSmall of [true, false]) {
      const subjects = children.map(([name, child]): readonly [string, Subject] => [
        name,
        async () => ({
          "CPU ms a conversation": await child.call<number>("converse", {
            url: model.url,
            count,
            concurrency,
            isSmall,
          } satisfies ConversationsRequest),
        }),
      ]);
      const name = isSmall ? "outputs of a few lines" : "outputs of all kinds and sizes";
      cases.push(...(await interleave(name, Object.fromEntries(subjects), rounds)));
    }
    return cases;
  } finally {
    await Promise.all(children.map(([, child]) => child.close()));
    await model.close();
  }
}

/** What the cases have to show; nothing where the rival is not installed. */
export function conversationGoals(cases: readonly Case[]): readonly Goal[] {
  const ratios = cases.flatMap(({ ratioToRivals }) => ratioToRivals[RIVAL] ?? []);
  if (ratios.length === 0) return [];
  return [
    {
      id: "CPU of a conversation",
      bound: `at most ${MAX_RATIO_TO_RIVAL} x that of ${RIVAL}`,
      found: ratios.map((ratio) => ratio.toFixed(2)).join(", "),
      isMet: ratios.every((ratio) => ratio <= MAX_RATIO_TO_RIVAL),
    },
  ];
}
