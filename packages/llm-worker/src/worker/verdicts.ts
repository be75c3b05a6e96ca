import type { CallVerdict, OpenTurn } from "./state.js";
import type { ResumeDecisions } from "./worker-options.js";

/** Notes what somebody decided on the calls of an open turn. */
export function takeDecisions(
  turn: OpenTurn,
  { approve = [], deny = {}, answers = {} }: ResumeDecisions,
): void {
  for (const [position, { callId }] of turn.calls.entries()) {
    turn.verdicts[position] =
      verdictOn(callId, { approve, deny, answers }) ?? turn.verdicts[position];
  }
}

function verdictOn(
  callId: string,
  {
    approve,
    deny,
    answers,
  }: { readonly [Name in keyof ResumeDecisions]-?: NonNullable<ResumeDecisions[Name]> },
): CallVerdict | undefined {
  if (Object.hasOwn(deny, callId)) return { type: "denied", reason: deny[callId] ?? "" };
  if (Object.hasOwn(answers, callId)) return { type: "answered", output: answers[callId] };
  return approve.includes(callId) ? { type: "approved" } : undefined;
}
