import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { createInspectTool, type InspectAnswer } from "llm-worker";
import { S3BlobStore } from "llm-worker-persistence/s3";
import { request } from "undici";
import { serveCalls } from "../harness/child.js";
import { measureUsage } from "../harness/usage.js";
import type { Place } from "../inspect/corpus.js";
import { countedClient } from "./counted-client.js";
import type { S3Place } from "./place.js";
import { presign } from "./presign.js";

/** Objects, or parts of them, to read one after the other. */
export interface GetTask {
  readonly place: S3Place;
  readonly prefix: string;
  readonly reads: readonly ObjectRead[];
}

/** What is to be read, and what it is. */
export interface ObjectRead extends Pick<Place, "selector" | "start" | "end" | "answer"> {
  readonly id: string;
  readonly key: string;
}

/** Texts to write, each as an object. */
export interface PutTask extends Omit<GetTask, "reads"> {
  readonly texts: readonly string[];
}

/** The means of a child, made at its first call. */
interface Means {
  readonly counted: ReturnType<typeof countedClient>;
  readonly store: S3BlobStore;
}

let means: Means | undefined;

function meansFor({ place, prefix }: Omit<GetTask, "reads">): Means {
  if (means !== undefined) return means;
  const { endpoint, region, bucket, accessKeyId, secretAccessKey } = place;
  const counted = countedClient(
    new S3Client({
      endpoint,
      region,
      forcePathStyle: true,
      credentials: { accessKeyId, secretAccessKey },
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      maxAttempts: 1,
    }),
  );
  means = { counted, store: new S3BlobStore({ bucket, prefix, client: counted.client }) };
  return means;
}

type Figures = Readonly<Record<string, number>>;

/** Does each in turn, and tells what one costs. */
async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<Figures> {
  const { usage } = await measureUsage(async () => {
    for (const item of items) await work(item);
  });
  return { "CPU ms": usage.cpuMs / items.length, ms: usage.wallMs / items.length };
}

function check({ selector, answer }: ObjectRead, found: string): void {
  if (found !== answer) throw new Error(`${selector} is answered with ${found.slice(0, 200)}`);
}

/** Answers of the tool, with the most requests and bytes beyond its own that one took. */
async function inspect(task: GetTask): Promise<Figures> {
  const { counted, store } = meansFor(task);
  const tool = createInspectTool({ store });
  const { signal } = new AbortController();
  let requests = 0;
  let extraBytes = 0;
  const figures = await each(task.reads, async (read) => {
    counted.reset();
    const input = { blob_id: read.id, selector: read.selector };
    // The tool's answer is typed only where it is made.
    const { text, isError } = (await tool.execute(input, { callId: "1", signal })) as InspectAnswer;
    if (isError) throw new Error(text);
    check(read, text.slice(text.indexOf("\n") + 1));
    requests = Math.max(requests, counted.requests);
    extraBytes = Math.max(extraBytes, counted.bytes - Buffer.byteLength(read.answer));
  });
  return { ...figures, "requests, most": requests, "KB beyond the answer, most": extraBytes / 1e3 };
}

/** Loads whole blobs, as text. */
async function load(task: GetTask): Promise<Figures> {
  const { counted, store } = meansFor(task);
  let requests = 0;
  const figures = await each(task.reads, async (read) => {
    counted.reset();
    const content = await store.load(read.id);
    check(read, content.type === "text" ? content.text : "");
    requests = Math.max(requests, counted.requests);
  });
  return { ...figures, "requests, most": requests };
}

async function store(task: PutTask): Promise<Figures> {
  const means = meansFor(task);
  return each(task.texts, async (text) => {
    await means.store.store({ type: "text", text });
  });
}

/** The SDK alone. */
async function sdkGet(task: GetTask): Promise<Figures> {
  const { sdk } = meansFor(task).counted;
  return each(task.reads, async (read) => {
    const Range = `bytes=${read.start}-${read.end - 1}`;
    const input = { Bucket: task.place.bucket, Key: read.key, Range };
    const { Body } = await sdk.send(new GetObjectCommand(input));
    check(read, shown(read, (await Body?.transformToString()) ?? ""));
  });
}

async function sdkPut(task: PutTask): Promise<Figures> {
  const { sdk } = meansFor(task).counted;
  return each([...task.texts.entries()], async ([n, text]) => {
    const Key = `${task.prefix}/sdk-${n}`;
    await sdk.send(new PutObjectCommand({ Bucket: task.place.bucket, Key, Body: text }));
  });
}

/** One ranged GET of what is wanted, signed before. */
async function rawGet(task: GetTask): Promise<Figures> {
  const signed = task.reads.map((read) => ({ read, url: presign(task.place, "GET", read.key) }));
  return each(signed, async ({ read, url }) => {
    const headers = { range: `bytes=${read.start}-${read.end - 1}` };
    const { body } = await request(url, { headers });
    check(read, shown(read, await body.text()));
  });
}

async function rawPut(task: PutTask): Promise<Figures> {
  const signed = task.texts.map((text, n) => {
    return { text, url: presign(task.place, "PUT", `${task.prefix}/raw-${n}`) };
  });
  return each(signed, async ({ text, url }) => {
    const { body, statusCode } = await request(url, { method: "PUT", body: text });
    await body.dump();
    if (statusCode !== 200) throw new Error(`status ${statusCode}`);
  });
}

/** The tool puts elements of an array in brackets. */
function shown({ answer }: ObjectRead, text: string): string {
  return answer.startsWith("[") ? `[${text}]` : text;
}

serveCalls({ inspect, load, store, sdkGet, sdkPut, rawGet, rawPut });
