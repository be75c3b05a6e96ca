import { expect, test } from "vitest";
import { elementRanges } from "./array-ranges.js";
import { createBytesReader } from "./blob-reader.js";
import type { BlobReader } from "./blob-store.js";
import { RUN_BYTES } from "./checked-bytes.js";
import { BlobIndexBuilder } from "./index-builder.js";
import { encodeBlobIndex, openBlobIndex } from "./index-codec.js";
import { wholeSpan } from "./json-scan.js";
import { lineRange } from "./line-ranges.js";
import { memberKeys, memberRange } from "./member-ranges.js";

type Ask = (reader: BlobReader) => Promise<unknown>;

/** Of how many runs of an index an answer depends: each is broken in turn. */
async function runsLookedAt(payload: string, ask: Ask): Promise<{ looked: number; all: number }> {
  const bytes = Buffer.from(payload);
  const builder = new BlobIndexBuilder();
  builder.write(bytes);
  const { stat, index } = builder.finish();
  const encoded = encodeBlobIndex({ stat, index });
  const whole = await ask(createBytesReader(bytes, stat, index));
  let looked = 0;
  let all = 0;
  for (let at = encoded.length - 1; at >= 0; at -= RUN_BYTES) {
    const broken = Uint8Array.from(encoded);
    broken[at] = (broken[at] as number) ^ 1;
    let isTold = false;
    const opened = openBlobIndex(broken, () => (isTold = true));
    all++;
    const answer = await ask(createBytesReader(bytes, stat, opened?.index)).catch(() => undefined);
    const isNoticed = opened === undefined || isTold;
    if (isNoticed) looked++;
    expect(isNoticed || answer).toEqual(isNoticed || whole);
  }
  return { looked, all };
}

const size = 16_000;
const pad = "p".repeat(180);

test.each<[string, (count: number) => string, (count: number) => Ask]>([
  [
    "lines",
    (count) => Array.from({ length: count / 2 }, (_, n) => `line ${n} ${pad}\n`).join(""),
    (count) => (reader) => lineRange(reader, count / 2 - 300, count / 2 - 290),
  ],
  [
    "elements of an array",
    (count) => `[${Array.from({ length: 8 * count }, (_, n) => `{"id":${n}}`).join()}]`,
    (count) => (reader) => elementRanges(reader, wholeSpan(reader), 7 * count, 7 * count + 3),
  ],
  [
    "a key of very many in order",
    (count) => `{${Array.from({ length: count }, (_, n) => `"k${1e6 + n}":"${pad}"`).join()}}`,
    (count) => (reader) => memberRange(reader, wholeSpan(reader), `k${1e6 + count - 99}`),
  ],
  [
    "the first keys",
    (count) => `{${Array.from({ length: count }, (_, n) => `"k${n}":"${pad}"`).join()}}`,
    () => (reader) => memberKeys(reader, wholeSpan(reader), 10),
  ],
])(
  "an answer about %s looks at a few KiB of the index, however large it is",
  async (_, payload, ask) => {
    const small = await runsLookedAt(payload(size), ask(size));
    const large = await runsLookedAt(payload(8 * size), ask(8 * size));
    expect(large.all).toBeGreaterThan(2 * small.all);
    expect(large.looked).toBeLessThanOrEqual(small.looked + 8);
    expect(large.looked).toBeLessThanOrEqual(16);
  },
);
