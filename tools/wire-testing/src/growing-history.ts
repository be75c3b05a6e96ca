import fc from "fast-check";
import type { Item, LlmRequest, Scheme, WireBody } from "llm-worker";
import { call, result, said, tool, user } from "./history.js";

/** What happens to a history before the next request. */
export interface HistoryStep {
  /** `replace` is what a prune does, `cut` a rewind; what a hook adds `once` is gone the next time. */
  readonly kind: "grow" | "copy" | "replace" | "once" | "cut";
  readonly items: readonly Item[];
  /** Where, as a share of the history. */
  readonly at: number;
  /** What is locked, as a share of the history. */
  readonly lock: number | undefined;
}

/**
 * Histories that grow, are pruned, rewound and locked, request by request.
 *
 * @param item items of a wire, whatever its server may have said
 */
export function historySteps(item: fc.Arbitrary<Item>): fc.Arbitrary<readonly HistoryStep[]> {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const step: fc.Arbitrary<HistoryStep> = fc.record({
    kind: fc.constantFrom("grow", "grow", "grow", "copy", "replace", "once", "cut"),
    items: fc.array(item, { minLength: 1, maxLength: 5 }),
    at: share,
    lock: fc.option(share, { nil: undefined }),
  });
  return fc.array(step, { maxLength: 8 });
}

/** Sends each request twice: through one scheme for all, and through a new one. */
export function bodiesOf(
  createScheme: () => Scheme,
  steps: readonly HistoryStep[],
): { readonly grown: readonly string[]; readonly atOnce: readonly string[] } {
  const scheme = createScheme();
  const grown: string[] = [];
  const atOnce: string[] = [];
  let items: Item[] = [user("begin")];
  for (const { kind, items: more, at, lock } of steps) {
    const index = Math.floor(at * items.length);
    const [first = user("new")] = more;
    if (kind === "grow") items.push(...more);
    else if (kind === "copy") items = [...items, ...more];
    else if (kind === "replace") items = items.map((one, i) => (i === index ? first : one));
    else if (kind === "cut") items = items.slice(0, index);
    const sent = kind === "once" ? [...items, ...more] : items;
    const lockedItemCount = lock === undefined ? undefined : Math.floor(lock * sent.length);
    const request = { tools: [tool], systemPrompt: "s", items: sent, lockedItemCount };
    grown.push(textOf(scheme, request));
    atOnce.push(textOf(createScheme(), request));
  }
  return { grown, atOnce };
}

/** What one more turn costs. */
export interface TurnCost {
  /** How often a text in the history was read. */
  readonly readCount: number;
  /** Bytes of the body that the request before did not share with it. */
  readonly newBytes: number;
}

/** Sends a locked history of so many exchanges and then one more, and counts the work of that one. */
export function costOfTurn(scheme: Scheme, exchangeCount: number): TurnCost {
  let readCount = 0;
  const counted = (item: Item): Item =>
    new Proxy(item, {
      get(target, key, receiver): unknown {
        if (key === "content" || key === "arguments" || key === "summary") readCount += 1;
        return Reflect.get(target, key, receiver);
      },
    });
  const text = "some text of a file\n".repeat(100);
  const exchange = (n: number): readonly Item[] => [
    ...(n % 10 === 0 ? [user(`and now ${n}`), said("Yes.")] : []),
    call(`call-${n}`, JSON.stringify({ n, text })),
    result(`call-${n}`, text),
  ];
  const items = [user("begin")];
  for (let n = 0; n < exchangeCount; n += 1) items.push(...exchange(n).map(counted));
  const request = { tools: [tool], systemPrompt: "s", items, lockedItemCount: items.length };
  const before = piecesOf(scheme, request);
  items.push(...exchange(exchangeCount).map(counted));
  readCount = 0;
  const after = piecesOf(scheme, request);
  const byteCount = after.reduce((sum, piece) => sum + piece.length, 0);
  const newBytes = byteCount - sharedBytes(before, after);
  return { readCount, newBytes };
}

function textOf(scheme: Scheme, request: LlmRequest): string {
  try {
    return String(scheme.buildRequest(request).body);
  } catch (error) {
    return String(error);
  }
}

function piecesOf(scheme: Scheme, request: LlmRequest): readonly Uint8Array[] {
  // The schemes of this repository send pieces.
  return (scheme.buildRequest(request).body as WireBody).pieces;
}

function sharedBytes(before: readonly Uint8Array[], after: readonly Uint8Array[]): number {
  let shared = 0;
  for (const one of before) {
    for (const other of after) {
      if (one.buffer !== other.buffer) continue;
      const start = Math.max(one.byteOffset, other.byteOffset);
      const end = Math.min(one.byteOffset + one.length, other.byteOffset + other.length);
      shared += Math.max(end - start, 0);
    }
  }
  return shared;
}
