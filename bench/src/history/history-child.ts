import type { Item, Provider } from "llm-worker";
import { serveCalls } from "../harness/child.js";
import { BodyCatcher } from "./body-catcher.js";
import { createItems, createTurn, MARKER } from "./items.js";
import { createProvider } from "./wires.js";

/** What one piece of work is about. */
export interface HistoryWork {
  readonly wire: string;
  readonly itemCount: number;
  /** How often it is done; the figure is the mean. */
  readonly repeats: number;
}

const catcher = new BodyCatcher();

serveCalls({ lockedTurns, wholeBodies, stringify, keptPrefix, pieceCount, findFaults });

/**
 * Turns that each add a call and its result to a history that the provider knows. The history starts
 * over before it is much longer than it was.
 */
async function lockedTurns({ wire, itemCount, repeats }: HistoryWork): Promise<number> {
  const base = createItems(itemCount);
  const maxItems = Math.max(itemCount + 4, 1.05 * itemCount);
  let cpuMs = 0;
  for (let turn = 0; turn < repeats;) {
    const provider = createProvider(wire, catcher);
    const items = [...base];
    await send(provider, items, itemCount);
    for (; turn < repeats && items.length < maxItems; turn += 1) {
      items.push(...createTurn(items.length));
      cpuMs += await send(provider, items, itemCount);
    }
  }
  return cpuMs / repeats;
}

/** Requests of a history that the provider has not seen. */
async function wholeBodies({ wire, itemCount, repeats }: HistoryWork): Promise<number> {
  const items = createItems(itemCount);
  let cpuMs = 0;
  for (let request = 0; request < repeats; request += 1) {
    cpuMs += await send(createProvider(wire, catcher), items);
  }
  return cpuMs / repeats;
}

const parsedBodies = new Map<string, unknown>();

/** The finished body as JavaScript values, made JSON text, or the bytes of it that are sent. */
async function stringify({
  wire,
  itemCount,
  repeats,
  isEncoded,
}: HistoryWork & { readonly isEncoded?: boolean | undefined }): Promise<number> {
  const key = `${wire} ${itemCount}`;
  if (!parsedBodies.has(key)) {
    await send(createProvider(wire, catcher), createItems(itemCount));
    parsedBodies.set(key, JSON.parse(catcher.text));
  }
  const body = parsedBodies.get(key);
  return cpuMsOf(repeats, () => {
    const json = JSON.stringify(body);
    return isEncoded === true ? Buffer.from(json).length : json.length;
  });
}

/** A prefix that somebody keeps serialised, and two new values: copied together, or in a list. */
function keptPrefix({
  itemCount,
  repeats,
  isCopied,
}: HistoryWork & { readonly isCopied: boolean }): number {
  const prefix = Buffer.from(JSON.stringify(createItems(itemCount)));
  const turn = createTurn(itemCount);
  return cpuMsOf(repeats, () => {
    const pieces = [prefix, Buffer.from(turn.map((item) => `,${JSON.stringify(item)}`).join(""))];
    return isCopied ? Buffer.concat(pieces).length : pieces.length;
  });
}

/** In how many pieces undici gets the body of a locked turn. */
async function pieceCount({ wire, itemCount }: HistoryWork): Promise<number> {
  const provider = createProvider(wire, catcher);
  const items = [...createItems(itemCount)];
  await send(provider, items, itemCount);
  items.push(...createTurn(itemCount));
  await send(provider, items, itemCount);
  return catcher.pieceCount;
}

/** What is wrong with the bodies of a history that grows: each has to be what a new provider sends. */
async function findFaults({ wire, itemCount }: HistoryWork): Promise<readonly string[]> {
  const provider = createProvider(wire, catcher);
  const items = [...createItems(itemCount)];
  const faults: string[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    await send(provider, items, itemCount);
    const grown = catcher.text;
    await send(createProvider(wire, catcher), structuredClone(items), itemCount);
    const where = `${wire}, ${items.length} items`;
    if (grown !== catcher.text) faults.push(`${where}: the body differs from one made at once`);
    const markers = new Set(grown.match(MARKER));
    if (markers.size !== items.length)
      faults.push(`${where}: the body has ${markers.size} of them`);
    JSON.parse(grown);
    items.push(...createTurn(items.length));
  }
  return faults;
}

/** @returns CPU time in ms from the call until undici has the body */
async function send(
  provider: Provider,
  items: readonly Item[],
  lockedItemCount?: number,
): Promise<number> {
  const before = process.cpuUsage();
  for await (const _batch of provider.stream({ tools: [], items, lockedItemCount })) {
    // The body is caught and the request ends in an error.
  }
  return milliseconds(catcher.cpuUsage) - milliseconds(before);
}

function cpuMsOf(repeats: number, work: () => number): number {
  const before = process.cpuUsage();
  let used = 0;
  for (let repeat = 0; repeat < repeats; repeat += 1) used += work();
  const cpuMs = milliseconds(process.cpuUsage(before));
  // Read, so that the work cannot be left out.
  if (used === 0) throw new RangeError("nothing was done");
  return cpuMs / repeats;
}

function milliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}
