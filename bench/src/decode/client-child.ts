import type { Provider, Worker } from "llm-worker";
import { serveCalls } from "../harness/child.js";
import { measureUsage, rest, type Usage } from "../harness/usage.js";
import { readEvents } from "./limit.js";
import { hashAnswer } from "./message.js";
import { collect, createProvider, runWorker, toAnswer } from "./product.js";
import type { WireName } from "./wires/wire.js";

/** What a client is to read. */
export interface ReadRequest {
  readonly wire: WireName;
  readonly url: string;
}

/** What reading once has cost, and what came of it. */
export interface Reading {
  readonly usage: Usage;
  /** Of the answer; the limit keeps none. */
  readonly hash?: string | undefined;
  /** Counted by the limit alone. */
  readonly events?: number | undefined;
}

/** Turns before the one whose memory is looked at, so that code is compiled and caches are filled. */
const WARM_UP_TURNS = 64;
/** Held together: what else comes and goes in the heap weighs less for each. */
const HELD_WORKERS = 16;

const providers = new Map<string, Provider>();

function providerOf({ wire, url }: ReadRequest): Provider {
  const known = providers.get(url);
  if (known !== undefined) return known;
  const provider = createProvider(wire, url);
  providers.set(url, provider);
  return provider;
}

async function read(request: ReadRequest, decode: typeof collect): Promise<Reading> {
  const provider = providerOf(request);
  const { result: items, usage } = await measureUsage(() => decode(provider));
  return { usage, hash: hashAnswer(toAnswer(items)) };
}

/** Bytes that a worker holds for the answer when the turn is over. Needs `--expose-gc`. */
async function retainedBytes(request: ReadRequest): Promise<number> {
  const provider = providerOf(request);
  for (let turn = 0; turn < WARM_UP_TURNS; turn++) await runWorker(provider);
  const before = heapBytes();
  const workers: Worker[] = [];
  while (workers.length < HELD_WORKERS) workers.push(await runWorker(provider));
  const after = heapBytes();
  // Used after the second look, so that they are held until then.
  if (workers.some(({ items }) => items.length === 0)) throw new Error("a worker has no items");
  return (after - before) / workers.length;
}

function heapBytes(): number {
  if (globalThis.gc === undefined) throw new Error("start it with --expose-gc");
  // What one collection finds unreachable through weak references, the next one frees.
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

serveCalls({
  timeline: (request: ReadRequest) => read(request, collect),
  worker: (request: ReadRequest) =>
    read(request, async (provider) => (await runWorker(provider)).items),
  retainedBytes,
  rest,
  async limit({ wire, url }: ReadRequest): Promise<Reading> {
    const { result: events, usage } = await measureUsage(() => readEvents(url, wire));
    return { usage, events };
  },
});
