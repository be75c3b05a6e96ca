import { interleave, type Subject } from "../harness/interleave.js";
import {
  LIMIT,
  OURS,
  type Case,
  type Findings,
  type Measure,
  type RunOptions,
} from "../harness/measure.js";
import { hasRivals } from "../harness/rivals.js";
import { chunkings, type Chunking } from "./chunking.js";
import { Clients, readFresh, readRetained } from "./clients.js";
import { decodeGoals, METRICS, type DecodeCase, type Retained } from "./goals.js";
import type { MessageSize } from "./message.js";
import { rivalsOf } from "./rivals.js";
import type { ServedAnswer } from "./server-child.js";
import type { WireName } from "./wires/wire.js";
import { wires } from "./wires/wires.js";

/** How large the answers are and how often they are read. */
export interface DecodeScale {
  readonly main: MessageSize;
  /** What slow rivals read instead. */
  readonly quarter: MessageSize;
  /** What a fresh process reads first, to load its code and open its connection. */
  readonly small: MessageSize;
  readonly warmUpRounds: number;
  readonly rounds: number;
  readonly rivalRounds: number;
  readonly slowRivalRounds: number;
  readonly freshRounds: number;
}

const SMALL: MessageSize = { thinkingDeltas: 20, textDeltas: 200, calls: 2, deltasPerCall: 10 };

const FULL: DecodeScale = {
  main: { thinkingDeltas: 2000, textDeltas: 20_000, calls: 20, deltasPerCall: 50 },
  quarter: { thinkingDeltas: 500, textDeltas: 5000, calls: 5, deltasPerCall: 50 },
  small: SMALL,
  warmUpRounds: 6,
  rounds: 15,
  rivalRounds: 5,
  slowRivalRounds: 3,
  freshRounds: 5,
};

const QUICK: DecodeScale = {
  main: SMALL,
  quarter: SMALL,
  small: SMALL,
  warmUpRounds: 0,
  rounds: 1,
  rivalRounds: 1,
  slowRivalRounds: 1,
  freshRounds: 1,
};

const { CPU, CPU_WITH_WORKER, WORKER_US, FRESH_CPU, FRESH_RSS } = METRICS;

/** A long answer over HTTP from another process to the final items. */
export const decode: Measure = {
  name: "decode",
  work:
    "A streamed answer of about 23,000 events over HTTP from another process to its final items: " +
    "provider, Timeline and collectors, and the same by a whole Worker.",
  limit: "undici's request, lines split, JSON.parse of each event, nothing kept.",
  run: measureDecode,
};

async function measureDecode(options: RunOptions): Promise<Findings> {
  const { isQuick } = options;
  const scale = isQuick ? QUICK : FULL;
  const clients = new Clients({ sharesRivals: isQuick });
  const measured: DecodeCase[] = [];
  const retained: Retained[] = [];
  try {
    for (const [number, { name: wire }] of wires.entries()) {
      for (const chunking of Object.keys(chunkings) as Chunking[]) {
        // How a body is cut has nothing to do with the wire.
        if (isQuick && number > 0 && chunking !== "block") continue;
        options.progress(`${wire}, ${chunkings[chunking]}`);
        measured.push(...(await measureCpu(clients, wire, chunking, scale)));
      }
      if (isQuick && number > 0) continue;
      measured.push(...(await measureFresh(clients, wire, scale)));
      retained.push(await measureRetained(clients, wire, scale));
      if (!isQuick) await clients.closeClients();
    }
  } finally {
    await clients.close();
  }
  return {
    cases: measured.map(({ result, wire }) => ({ ...result, metric: `${result.metric}, ${wire}` })),
    goals: isQuick ? [] : decodeGoals(measured, retained),
    notes: notes(),
    details: { retained },
  };
}

async function measureCpu(
  clients: Clients,
  wire: WireName,
  chunking: Chunking,
  scale: DecodeScale,
): Promise<DecodeCase[]> {
  const name = chunkings[chunking];
  const main = await clients.serve({ wire, chunking, size: scale.main });
  const quarter = await clients.serve({ wire, chunking, size: scale.quarter });
  const own = await interleave(name, ownSubjects(clients, main), {
    rounds: scale.rounds,
    warmUpRounds: scale.warmUpRounds,
  });
  const beside = [
    { speed: "fast", answer: main, rounds: scale.rivalRounds, title: "beside fast clients" },
    {
      speed: "slow",
      answer: quarter,
      rounds: scale.slowRivalRounds,
      title: "a quarter of it beside slow clients",
    },
  ] as const;
  const cases: Case[] = [...own];
  for (const { speed, answer, rounds, title } of hasRivals() ? beside : []) {
    const subjects = pairSubjects(clients, answer);
    for (const rival of rivalsOf(wire, speed)) subjects[rival] = clients.rival(rival, answer);
    cases.push(...(await interleave(`${name}, ${title}`, subjects, { rounds, warmUpRounds: 1 })));
  }
  await clients.remove(main);
  await clients.remove(quarter);
  return cases.map((result) => ({ wire, chunking, result }));
}

/** The product as Timeline and as whole Worker, and the limit for both. */
function ownSubjects(clients: Clients, answer: ServedAnswer): Record<string, Subject> {
  return {
    [LIMIT]: async () => {
      const { cpuMs } = (await clients.read("limit", answer)).usage;
      return { [CPU]: cpuMs, [CPU_WITH_WORKER]: cpuMs };
    },
    [OURS]: async () => {
      const { cpuMs } = (await clients.read("timeline", answer)).usage;
      const worker = (await clients.read("worker", answer)).usage.cpuMs;
      return {
        [CPU]: cpuMs,
        [CPU_WITH_WORKER]: worker,
        [WORKER_US]: (1000 * (worker - cpuMs)) / answer.events,
      };
    },
  };
}

function pairSubjects(clients: Clients, answer: ServedAnswer): Record<string, Subject> {
  return {
    [LIMIT]: async () => ({ [CPU]: (await clients.read("limit", answer)).usage.cpuMs }),
    [OURS]: async () => ({ [CPU]: (await clients.read("timeline", answer)).usage.cpuMs }),
  };
}

/**
 * Each reading in a process of its own: memory that was used before hides what is used now. What a
 * process does once, with whatever client, is waited for.
 */
async function measureFresh(
  clients: Clients,
  wire: WireName,
  { main, small, freshRounds: rounds }: DecodeScale,
): Promise<DecodeCase[]> {
  const chunking = "block";
  const answers = {
    small: await clients.serve({ wire, chunking, size: small }),
    whole: await clients.serve({ wire, chunking, size: main }),
  };
  const fresh = (read: Parameters<typeof readFresh>[0]): Subject => {
    return async () => {
      const { cpuMs, addedRssMb } = await readFresh(read, answers);
      return { [FRESH_CPU]: cpuMs, [FRESH_RSS]: addedRssMb };
    };
  };
  const name = chunkings[chunking];
  const own = {
    [LIMIT]: fresh((one, answer) => one.read("limit", answer)),
    [OURS]: fresh((one, answer) => one.read("timeline", answer)),
  };
  const cases = [...(await interleave(name, own, { rounds }))];
  if (hasRivals()) {
    const subjects: Record<string, Subject> = { ...own };
    for (const rival of rivalsOf(wire, "fast")) {
      subjects[rival] = fresh((one, answer) => one.readByRival(rival, answer));
    }
    cases.push(...(await interleave(`${name}, beside fast clients`, subjects, { rounds: 1 })));
  }
  await clients.remove(answers.small);
  await clients.remove(answers.whole);
  return cases.map((result) => ({ wire, chunking, result }));
}

async function measureRetained(
  clients: Clients,
  wire: WireName,
  { main }: DecodeScale,
): Promise<Retained> {
  const answer = await clients.serve({ wire, chunking: "block", size: main });
  const bytes = await readRetained(answer);
  await clients.remove(answer);
  return { wire, bytes, characters: answer.characters };
}

function notes(): string[] {
  return [
    "`main` is 2,000 thinking deltas, 20,000 text deltas and 20 calls of 50 argument deltas (Gemini and Ollama send arguments whole), with quotes, escapes, CJK and emoji. The server replays ready bytes over a raw socket; one client a process; each answer's hash is compared with the server's.",
    "A fresh process has read a small answer, and is at rest, before it is measured: with its first answer V8 begins to optimise the HTTP parser of undici, which fetch has too. That takes another thread 0.2 s and 29 MB once, and ended before a client or after it, by chance.",
    ...(hasRivals()
      ? [
          "Slow clients read a quarter of `main`, fewer times, beside a limit of their own. A client that does not know `reasoning_content` on OpenAI Chat need not give the reasoning. @mariozechner/pi-ai does not speak Ollama's own API.",
        ]
      : ["The rivals are not installed (`npm run bench` does it), so they are left out."]),
  ];
}
