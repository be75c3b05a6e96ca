import { randomUUID } from "node:crypto";
import { S3BlobStore } from "llm-worker-persistence/s3";
import { builtScript } from "../harness/built-script.js";
import { type Child, startChild } from "../harness/child.js";
import { interleave } from "../harness/interleave.js";
import { LIMIT, OURS, type Case, type Findings, type Measure } from "../harness/measure.js";
import type { RunOptions } from "../harness/measure.js";
import {
  type Shelf,
  storeArray,
  storeLog,
  storeObject,
  type StoredBlob,
} from "../inspect/corpus.js";
import { checkGoals } from "./goals.js";
import { type S3Place, s3PlaceOf } from "./place.js";
import type { ObjectRead } from "./s3-child.js";

/** Small answers, and small and large blobs, over S3. */
export const s3: Measure = {
  name: "s3",
  work: "Answers of the tool `inspect`, and whole blobs, over S3BlobStore and a server on this machine.",
  limit: "one request for just the wanted bytes, signed before, by undici.",
  run: runS3,
};

interface Sizes {
  readonly log: number;
  /** An array, and an object. */
  readonly json: number;
  readonly largeBlob: number;
  readonly smallCount: number;
  readonly rounds: number;
}

const FULL: Sizes = { log: 1e8, json: 5e8, largeBlob: 1.6e7, smallCount: 100, rounds: 7 };
const QUICK: Sizes = { log: 1e6, json: 1e6, largeBlob: 1e6, smallCount: 3, rounds: 1 };
const SMALL_CHARACTERS = 4096;
const LARGE_READS = 5;

const SDK = "@aws-sdk/client-s3";

async function runS3(options: RunOptions): Promise<Findings> {
  const place = s3PlaceOf(options.env);
  if (place === undefined) {
    const note =
      "Not measured: there is no S3 server. `tools/s3/start-ceph-rgw.sh DIRECTORY` starts one and prints the settings to export.";
    return { cases: [], goals: [], notes: [note] };
  }
  const sizes = options.isQuick ? QUICK : FULL;
  const prefix = `bench-${randomUUID()}`;
  const store = openStore(place, prefix);
  const subjects: Child[] = [];
  try {
    for (let n = 0; n < 3; n += 1) subjects.push(await startChild(builtScript("s3/s3-child.js")));
    const cases = await measureAll({ place, prefix, store, subjects }, sizes, options);
    return {
      cases,
      goals: options.isQuick ? [] : checkGoals(cases, SDK),
      notes: [
        "Each subject has a process of its own; a figure is the mean of a batch, each answer compared with what was written.",
        `${SDK} asks for just the wanted bytes with the settings of the store, and checks nothing.`,
      ],
    };
  } finally {
    for (const child of subjects) await child.close();
    for await (const { id } of store.list()) await store.delete(id);
  }
}

interface Setting {
  readonly place: S3Place;
  readonly prefix: string;
  readonly store: S3BlobStore;
  /** For the product, the limit and the SDK. */
  readonly subjects: readonly Child[];
}

async function measureAll(
  { place, prefix, store, subjects }: Setting,
  sizes: Sizes,
  { progress }: Pick<RunOptions, "progress">,
): Promise<readonly Case[]> {
  const [ours, limit, sdk] = subjects;
  const cases: Case[] = [];
  const compare = async (
    name: string,
    task: object,
    [product, raw, alone]: readonly [string, string, string],
  ): Promise<void> => {
    progress(name);
    const input = { place, prefix, ...task };
    const call = (child: Child | undefined, work: string) => async () =>
      (await child?.call<Readonly<Record<string, number>>>(work, input)) ?? {};
    const found = await interleave(
      name,
      { [OURS]: call(ours, product), [LIMIT]: call(limit, raw), [SDK]: call(sdk, alone) },
      { rounds: sizes.rounds, warmUpRounds: 1 },
    );
    cases.push(...found);
  };
  const shelf: Shelf = { store, place: `${prefix}/blobs` };
  const log = await storeLog(shelf, sizes.log);
  const get = ["rawGet", "sdkGet"] as const;
  await compare(`30 lines of ${sizes.log / 1e6} MB`, { reads: readsOf(log) }, ["inspect", ...get]);
  const array = await storeArray(shelf, sizes.json);
  await compare(`6 elements of ${sizes.json / 1e6} MB`, { reads: readsOf(array) }, [
    "inspect",
    ...get,
  ]);
  const { anyKey } = await storeObject(shelf, sizes.json);
  await compare(`a key of ${sizes.json / 1e6} MB`, { reads: readsOf(anyKey) }, ["inspect", ...get]);

  const texts = Array.from({ length: sizes.smallCount }, (_, n) => textOf(n, SMALL_CHARACTERS));
  await compare("put 4 KB", { texts }, ["store", "rawPut", "sdkPut"]);
  const small = await Promise.all(texts.map((text) => storeWhole(shelf, text)));
  await compare("get 4 KB", { reads: small }, ["load", ...get]);
  const large = await storeWhole(shelf, textOf(0, sizes.largeBlob));
  const reads = Array.from({ length: LARGE_READS }, () => large);
  await compare(`get ${sizes.largeBlob / 1e6} MB`, { reads }, ["load", ...get]);
  return cases;
}

function openStore(place: S3Place, prefix: string): S3BlobStore {
  const { endpoint, region, bucket, accessKeyId, secretAccessKey } = place;
  const credentials = { accessKeyId, secretAccessKey };
  const client = { endpoint, region, forcePathStyle: true, credentials };
  return new S3BlobStore({ bucket, prefix, client });
}

function readsOf({ id, path, places }: StoredBlob): readonly ObjectRead[] {
  return places.map((one) => ({ ...one, id, key: path }));
}

async function storeWhole({ store, place }: Shelf, text: string): Promise<ObjectRead> {
  const id = await store.store({ type: "text", text });
  return { id, key: `${place}/${id}.txt`, selector: "", start: 0, end: text.length, answer: text };
}

function textOf(n: number, characters: number): string {
  const line = `${n} a line of a log, as there are many of them\n`;
  return line.repeat(Math.ceil(characters / line.length)).slice(0, characters);
}
