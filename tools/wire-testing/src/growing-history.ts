import fc from "fast-check";
import type { Item, LlmRequest, Scheme, WireBody } from "llm-worker";
import { expect, test } from "vitest";
import { call, result, said, tool, user } from "./history.js";

const text = fc.constantFrom("", " ", "x", "größe → 🙂", 'li"ne\n', "half \ud83d");
const id = fc.constantFrom("1", "2", "a b");
/** What there is on all wires. */
const commonItem: fc.Arbitrary<Item> = fc.oneof(
  text.map(user),
  text.map(said),
  id.map((callId) => call(callId, '{"a":1.0}')),
  fc
    .tuple(id, text, fc.boolean())
    .map(([callId, output, isError]) => result(callId, output, isError)),
);

/**
 * Holds a scheme to what it promises of a history that was sent before: the same bytes as of a new
 * one, and a turn's cost by what is new in it.
 *
 * @param ownItems items that only this wire has, by groups that are as likely as one common kind
 */
export function testGrowingHistory(
  wire: string,
  createScheme: () => Scheme,
  ...ownItems: readonly (readonly Item[])[]
): void {
  const item = fc.oneof(
    { arbitrary: commonItem, weight: 4 },
    ...ownItems.map((group) => fc.constantFrom(...group)),
  );

  test(`${wire}: a history that grew is sent in the bytes of one that is new`, () => {
    fc.assert(
      fc.property(historySteps(item), (steps) => {
        const { grown, atOnce } = bodiesOf(createScheme, steps);
        expect(grown).toEqual(atOnce);
      }),
      { numRuns: 300 },
    );
  });

  test(`${wire}: a turn costs what is new in it, however long the history is`, () => {
    const short = costOfTurn(createScheme(), 300);
    const long = costOfTurn(createScheme(), 1200);
    expect(long.readCount).toBe(short.readCount);
    expect(long.newBytes).toBeLessThan(40_000);
  });
}

/** What happens to a history before the next request. */
interface HistoryStep {
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
function historySteps(item: fc.Arbitrary<Item>): fc.Arbitrary<readonly HistoryStep[]> {
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
function bodiesOf(
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
interface TurnCost {
  /** How often a text in the history was read. */
  readonly readCount: number;
  /** Bytes of the body that the request before did not share with it. */
  readonly newBytes: number;
}

/** Sends a locked history of so many exchanges and then one more, and counts the work of that one. */
function costOfTurn(scheme: Scheme, exchangeCount: number): TurnCost {
  let readCount = 0;
  const counted = (item: Item): Item =>
    new Proxy(item, {
      get(target, key, receiver): unknown {
        if (key === "content" || key === "arguments" || key === "summary") readCount += 1;
        return Reflect.get(target, key, receiver);
      },
    });
  const output = "some text of a file\n".repeat(100);
  const exchange = (n: number): readonly Item[] => [
    ...(n % 10 === 0 ? [user(`and now ${n}`), said("Yes.")] : []),
    call(`call-${n}`, JSON.stringify({ n, text: output })),
    result(`call-${n}`, output),
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
