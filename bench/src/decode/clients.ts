import { builtScript } from "../harness/built-script.js";
import { startChild, type Child } from "../harness/child.js";
import type { Subject } from "../harness/interleave.js";
import { rivalScript } from "../harness/rivals.js";
import type { Reading } from "./client-child.js";
import type { AnswerRequest, ServedAnswer } from "./server-child.js";

const SERVER = "decode/server-child.js";
const CLIENT = "decode/client-child.js";

/** What to ask a client for: the product in two ways, or the limit. */
export type OwnClient = "timeline" | "worker" | "limit";

/** Clients and a server, each in a process of its own, which end together. */
export class Clients {
  readonly #children = new Map<string, Promise<Child>>();
  readonly #timeoutMs: number;
  readonly #sharesRivals: boolean;
  #server: Promise<Child> | undefined;

  constructor({
    timeoutMs = 120_000,
    sharesRivals = false,
  }: {
    /** How long a client may take to read an answer. */
    readonly timeoutMs?: number | undefined;
    /** All rivals in one process: starting one takes longer than a small answer. */
    readonly sharesRivals?: boolean | undefined;
  } = {}) {
    this.#timeoutMs = timeoutMs;
    this.#sharesRivals = sharesRivals;
  }

  /** Serves an answer until {@link remove}. */
  async serve(request: AnswerRequest): Promise<ServedAnswer> {
    this.#server ??= startChild(builtScript(SERVER));
    return (await this.#server).call<ServedAnswer>("serve", request);
  }

  async remove({ url }: ServedAnswer): Promise<void> {
    await (await this.#server)?.call("remove", url);
  }

  /** Reads once. @throws Error if what came of it is not what was sent */
  async read(client: OwnClient, answer: ServedAnswer): Promise<Reading> {
    const reading = await (
      await this.#child(client, builtScript(CLIENT))
    ).call<Reading>(client, answer);
    return checked(
      reading,
      client === "limit" ? reading.events === answer.events : reading.hash === answer.hash,
    );
  }

  /** Reads once with a rival. It may be one that does not know how this wire thinks. */
  async readByRival(client: string, answer: ServedAnswer): Promise<Reading> {
    const key = this.#sharesRivals ? "rivals" : client;
    const child = await this.#child(key, rivalScript("decode.mjs"));
    const reading = await child.call<Reading>("read", { ...answer, client });
    return checked(
      reading,
      reading.hash === answer.hash || reading.hash === answer.hashWithoutThinking,
    );
  }

  /** A rival at one answer. */
  rival(client: string, answer: ServedAnswer): Subject {
    return async () => ({ "CPU ms": (await this.readByRival(client, answer)).usage.cpuMs });
  }

  /** Waits until no client is at work any more. */
  async rest(): Promise<void> {
    for (const child of this.#children.values()) await (await child).call("rest");
  }

  async #child(key: string, script: URL): Promise<Child> {
    let child = this.#children.get(key);
    if (child === undefined) {
      child = startChild(script, { timeoutMs: this.#timeoutMs });
      this.#children.set(key, child);
    }
    return child;
  }

  /** Ends the clients; the server goes on. */
  async closeClients(): Promise<void> {
    const children = [...this.#children.values()];
    this.#children.clear();
    // One that could not start, or has ended, has told so to whoever asked it.
    await Promise.allSettled(children.map(async (child) => (await child).close()));
  }

  async close(): Promise<void> {
    await this.closeClients();
    await (await this.#server)?.close();
  }
}

/** Reads an answer in a fresh process that has read a small one before, and tells what it added. */
export async function readFresh(
  read: (clients: Clients, answer: ServedAnswer) => Promise<Reading>,
  answers: { readonly small: ServedAnswer; readonly whole: ServedAnswer },
): Promise<Reading["usage"]> {
  const clients = new Clients();
  try {
    await read(clients, answers.small);
    await clients.rest();
    return (await read(clients, answers.whole)).usage;
  } finally {
    await clients.close();
  }
}

/** Bytes that a worker holds after a turn with this answer. */
export async function readRetained(answer: ServedAnswer): Promise<number> {
  const child = await startChild(builtScript(CLIENT), { execArgv: ["--expose-gc"] });
  try {
    return await child.call<number>("retainedBytes", answer);
  } finally {
    await child.close();
  }
}

function checked(reading: Reading, isRight: boolean): Reading {
  if (isRight) return reading;
  throw new Error("its answer is not the one that was sent");
}
