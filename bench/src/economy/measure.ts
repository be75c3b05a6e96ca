import type { Reachability } from "./reachability.js";
import type { Looks } from "./replaying-provider.js";
import { replay, type SessionFigures } from "./replay.js";
import { allInline, type Setup } from "./setups.js";
import type { Trace } from "./trace.js";

/** What all sessions together have come to under one setup. */
export interface SetupFigures {
  readonly name: string;
  readonly policy: string;
  readonly profile: string | null;
  readonly looks: Looks;
  readonly requests: number;
  readonly sentBytes: number;
  readonly cachedBytes: number;
  readonly outputBytes: number;
  /** In uncached input tokens. */
  readonly cost: number;
  readonly cacheBreaks: number;
  /** Of all-inline, 1 = the same. */
  readonly sentShare: number;
  readonly costShare: number;
  readonly reachability: Reachability | null;
  readonly sessions: readonly SessionFigures[];
}

/** Replays all sessions under all setups, all-inline first. */
export async function* measureAll(
  traces: readonly Trace[],
  setups: readonly Setup[],
): AsyncGenerator<SetupFigures> {
  const base = total(await replayAll(traces, allInline, "never"));
  for (const setup of setups) {
    for (const looks of setup.looks) {
      const sessions = await replayAll(traces, setup, looks);
      const sums = total(sessions);
      yield {
        name: setup.name,
        policy: setup.policy,
        profile: setup.profile ?? null,
        looks,
        ...sums,
        sentShare: sums.sentBytes / base.sentBytes,
        costShare: sums.cost / base.cost,
        reachability: totalReachability(sessions),
        sessions,
      };
    }
  }
}

async function replayAll(
  traces: readonly Trace[],
  setup: Setup,
  looks: Looks,
): Promise<readonly SessionFigures[]> {
  const sessions: SessionFigures[] = [];
  // One after the other: each holds its last request body.
  for (const trace of traces) sessions.push(await replay(trace, setup, looks));
  return sessions;
}

type Sums = Omit<SessionFigures, "session" | "reachability">;

function total(sessions: readonly SessionFigures[]): Sums {
  const sum = (field: keyof Sums): number =>
    sessions.reduce((all, session) => all + session[field], 0);
  return {
    requests: sum("requests"),
    sentBytes: sum("sentBytes"),
    cachedBytes: sum("cachedBytes"),
    outputBytes: sum("outputBytes"),
    cost: sum("cost"),
    cacheBreaks: sum("cacheBreaks"),
  };
}

function totalReachability(sessions: readonly SessionFigures[]): Reachability | null {
  const all = sessions.flatMap(({ reachability }) => reachability ?? []);
  if (all.length < sessions.length) return null;
  const sum = (field: keyof Reachability): number =>
    all.reduce((count, one) => count + one[field], 0);
  return {
    outputCount: sum("outputCount"),
    wholeCount: sum("wholeCount"),
    storedCount: sum("storedCount"),
    storedBytes: sum("storedBytes"),
    storedCallCount: sum("storedCallCount"),
    lostCount: sum("lostCount"),
  };
}
