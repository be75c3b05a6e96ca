import type { Chunking } from "./chunking.js";
import type { WireName } from "./wires/wire.js";

/** A client that people use today. */
export interface Rival {
  /** As `bench/rivals/decode.mjs` knows it. */
  readonly name: string;
  readonly wires: readonly WireName[];
  /** Slow ones read a quarter of the stream, fewer times, beside a limit of their own. */
  readonly speed: "fast" | "slow";
  /** How many times its CPU is to be ours, at least. */
  readonly factor: Readonly<Record<Chunking, number>>;
}

const ALL_WIRES = ["anthropic", "openai-chat", "openai-responses", "gemini", "ollama"] as const;
const OPENAI_WIRES = ["openai-chat", "openai-responses"] as const;

export const rivals: readonly Rival[] = [
  fast("@anthropic-ai/sdk", ["anthropic"], 1.6, 1.5),
  fast("@anthropic-ai/sdk stream()", ["anthropic"], 1.6, 1.5),
  fast("openai", OPENAI_WIRES, 4, 2),
  fast("openai stream()", OPENAI_WIRES, 4, 2),
  fast("@google/genai", ["gemini"], 6, 6),
  fast("ollama", ["ollama"], 1.4, 1.4),
  fast("@mariozechner/pi-ai", ["anthropic", ...OPENAI_WIRES, "gemini"], 2.5, 2),
  slow("@tanstack/ai", 8, 4),
  slow("@langchain/core", 8, 4),
  slow("ai", 15, 9),
];

function fast(name: string, wires: readonly WireName[], whole: number, fragment: number): Rival {
  return { name, wires, speed: "fast", factor: { event: whole, block: whole, fragment } };
}

function slow(name: string, whole: number, fragment: number): Rival {
  return { ...fast(name, ALL_WIRES, whole, fragment), speed: "slow" };
}

/** The names of those that speak a wire. */
export function rivalsOf(wire: WireName, speed: Rival["speed"]): string[] {
  return rivals
    .filter((rival) => rival.speed === speed && rival.wires.includes(wire))
    .map(({ name }) => name);
}
