import { LlmWorkerError } from "../errors.js";
import type { HookPoints } from "../hook/hook.js";
import type { Item } from "../model/item.js";
import { buildRequest } from "./build-request.js";
import type { RunContext } from "./run-context.js";
import { isSameItem } from "./same-item.js";
import { blobIdsOf } from "./state.js";

/** A hook tried to change items that are locked. */
export class LockedPrefixError extends LlmWorkerError {
  readonly code = "locked_prefix";
  readonly itemIndex: number;
  constructor(itemIndex: number) {
    super(
      `a preLlmRequest hook changed item ${itemIndex}, which is in the locked prefix: ` +
        "leave the first lockedItemCount items as they are, or unlock the worker",
    );
    this.itemIndex = itemIndex;
  }
}

/** The items of the next request: the history, or what the hooks have made of it. */
export async function requestItems(
  run: RunContext,
): Promise<{ readonly items: readonly Item[] } | { readonly cancel: string }> {
  const { state, deps } = run;
  if (!deps.hooks.has("preLlmRequest")) return { items: state.items };
  const lockedItemCount = state.phase === "cache_locked" ? state.lockedItemCount : 0;
  const next = buildRequest(state, deps.tools, state.items);
  const estimatedTokens = Math.round(deps.estimator.request(next));
  let kept: readonly Item[] | undefined;
  const { facts, ended } = await deps.hooks.run(
    "preLlmRequest",
    { turn: run.turn, items: state.items, lockedItemCount, estimatedTokens },
    run.signal,
    (before, decision) => {
      if (!("items" in decision)) return undefined;
      assertPrefixKept(before.items, decision.items, lockedItemCount);
      if (decision.scope === "history") {
        kept = historyAfter(kept ?? state.items, before, decision.items);
      }
      return { ...before, items: decision.items };
    },
  );
  if (ended !== undefined && "cancel" in ended) return ended;
  if (kept !== undefined) {
    state.items = [...kept];
    // A hook may have stored what it took out: the model can read that back too.
    for (const id of blobIdsOf(kept)) state.knownBlobIds.add(id);
  }
  return { items: facts.items === kept ? state.items : facts.items };
}

/**
 * The history once a hook has made `after` of `before`. Where that is not the history, but what other
 * hooks have made of it for this request only, their changes do not enter it: the items that the hook
 * replaced one by one are replaced there too.
 */
function historyAfter(
  history: readonly Item[],
  { items: before, lockedItemCount }: HookPoints["preLlmRequest"]["in"],
  after: readonly Item[],
): readonly Item[] {
  if (before === history || before.length !== after.length) return after;
  const replaced = new Map(before.map((item, i) => [item, after[i] ?? item]));
  return history.map((item, i) => (i < lockedItemCount ? item : (replaced.get(item) ?? item)));
}

function assertPrefixKept(before: readonly Item[], after: readonly Item[], count: number): void {
  for (let i = 0; i < count; i += 1) {
    if (!isSameItem(before[i], after[i])) throw new LockedPrefixError(i);
  }
}
