/** From 0 up to 1, such as `Math.random`. */
export type Random = () => number;

/** Random numbers that a seed decides (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * A stream as a broken server or network might send it: bits flipped, a range lost, the end cut off,
 * frames lost, repeated or exchanged, values of wrong types. One to three of these at a time.
 *
 * @param frameEnd what ends a frame: a blank line for SSE, a line end for NDJSON
 */
export function mutate(bytes: Uint8Array, frameEnd: "\n\n" | "\n", random: Random): Uint8Array {
  let mutated = bytes;
  for (let left = 1 + below(3, random); left > 0; left -= 1) {
    mutated = pick(MUTATIONS, random)(mutated, frameEnd, random);
  }
  return mutated;
}

type Mutation = (bytes: Uint8Array, frameEnd: string, random: Random) => Uint8Array;

const flipBits: Mutation = (bytes, _frameEnd, random) => {
  const flipped = Uint8Array.from(bytes);
  for (let left = 1 + below(4, random); left > 0 && flipped.length > 0; left -= 1) {
    const at = below(flipped.length, random);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << below(8, random));
  }
  return flipped;
};

const cutEnd: Mutation = (bytes, _frameEnd, random) =>
  bytes.subarray(0, below(bytes.length + 1, random));

const loseRange: Mutation = (bytes, _frameEnd, random) => {
  const start = below(bytes.length + 1, random);
  return Buffer.concat([bytes.subarray(0, start), bytes.subarray(start + below(200, random))]);
};

const loseFrame: Mutation = onFrames((frames, random) => {
  frames.splice(below(frames.length, random), 1);
});

const repeatFrame: Mutation = onFrames((frames, random) => {
  frames.splice(below(frames.length, random), 0, pick(frames, random));
});

const moveFrame: Mutation = onFrames((frames, random) => {
  const [moved = ""] = frames.splice(below(frames.length, random), 1);
  frames.splice(below(frames.length + 1, random), 0, moved);
});

const changeType: Mutation = onFrames((frames, random) => {
  const at = below(frames.length, random);
  const frame = frames[at] ?? "";
  const start = frame.indexOf("{");
  if (start < 0) return;
  try {
    const payload: unknown = JSON.parse(frame.slice(start));
    frames[at] = frame.slice(0, start) + JSON.stringify(withWrongValue(payload, random));
  } catch {
    // An earlier mutation broke it already.
  }
});

const MUTATIONS: readonly Mutation[] = [
  flipBits,
  cutEnd,
  loseRange,
  loseFrame,
  repeatFrame,
  moveFrame,
  changeType,
  changeType,
];

const WRONG_VALUES: readonly unknown[] = [null, true, 7, -1.5, "x", "", [], [null], {}, { a: 1 }];

function withWrongValue(value: unknown, random: Random): unknown {
  if (typeof value !== "object" || value === null || random() < 0.15) {
    return pick(WRONG_VALUES, random);
  }
  const keys = Object.keys(value);
  if (keys.length === 0) return pick(WRONG_VALUES, random);
  const key = pick(keys, random);
  const fields = value as Record<string, unknown>;
  const changed = withWrongValue(fields[key], random);
  if (Array.isArray(value)) return value.with(Number(key), changed);
  return { ...fields, [key]: changed };
}

function onFrames(change: (frames: string[], random: Random) => void): Mutation {
  return (bytes, frameEnd, random) => {
    const frames = Buffer.from(bytes).toString().split(frameEnd);
    change(frames, random);
    return Buffer.from(frames.join(frameEnd));
  };
}

function below(limit: number, random: Random): number {
  return Math.floor(random() * limit);
}

function pick<T>(list: readonly T[], random: Random): T {
  // Callers give lists that have an element, and `below` stays under their length.
  return list[below(list.length, random)] as T;
}
