import { randomUUID } from "node:crypto";
import type { S3Credentials, S3Options } from "../../src/s3/index.js";
import {
  DOUBLE_BUCKET,
  DOUBLE_CREDENTIALS,
  DOUBLE_OTHER_CREDENTIALS,
  startS3Double,
} from "./s3-double.js";

/** A server that the suite runs against. */
export interface TestServer {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly credentials: S3Credentials;
  /** Of somebody without any right to the bucket. */
  readonly otherCredentials: S3Credentials | undefined;
  close(): Promise<void>;
}

const env = process.env;
const endpoint = env["LLM_WORKER_S3_ENDPOINT"];

/** The servers there are: the double, and the one that `LLM_WORKER_S3_ENDPOINT` names, if any. */
export const SERVERS: readonly (readonly [string, () => Promise<TestServer>])[] = [
  ["the in-process double", () => startDouble()],
  ...(endpoint === undefined
    ? []
    : ([["the server at LLM_WORKER_S3_ENDPOINT", () => realServer(endpoint)]] as const)),
];

/** Whether a real server is there that the double is made after. */
export const IS_CEPH_RGW: boolean =
  endpoint !== undefined && env["LLM_WORKER_S3_SERVER"] === "ceph-rgw";

/** A double whose listings have pages of so many keys. */
export async function startDouble(pageLength?: number): Promise<TestServer> {
  const double = await startS3Double(pageLength === undefined ? {} : { pageLength });
  return {
    endpoint: double.url,
    region: "us-east-1",
    bucket: DOUBLE_BUCKET,
    credentials: DOUBLE_CREDENTIALS,
    otherCredentials: DOUBLE_OTHER_CREDENTIALS,
    close: () => double.close(),
  };
}

async function realServer(url: string): Promise<TestServer> {
  const credentialsOf = (prefix: string): S3Credentials | undefined => {
    const accessKeyId = env[`${prefix}ACCESS_KEY_ID`];
    const secretAccessKey = env[`${prefix}SECRET_ACCESS_KEY`];
    return accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined;
  };
  const credentials = credentialsOf("AWS_");
  if (!credentials) {
    throw new Error("LLM_WORKER_S3_ENDPOINT needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  }
  return {
    endpoint: url,
    region: env["AWS_REGION"] ?? "us-east-1",
    bucket: env["LLM_WORKER_S3_BUCKET"] ?? "llm-worker-test",
    credentials,
    otherCredentials: credentialsOf("LLM_WORKER_S3_OTHER_"),
    close: async () => {},
  };
}

/** Options of a store that has a prefix of its own on the server, and does not wait long. */
export function storeOptions(server: TestServer, changes: Partial<S3Options> = {}): S3Options {
  return {
    bucket: server.bucket,
    prefix: `test/${randomUUID()}`,
    client: clientConfig(server),
    retryDelayMs: () => 1,
    ...changes,
  };
}

/** What a client of the server is made with. */
export function clientConfig(
  { endpoint: url, region, credentials }: TestServer,
  changes: Readonly<Record<string, unknown>> = {},
): NonNullable<S3Options["client"]> {
  return { endpoint: url, region, credentials, forcePathStyle: true, ...changes };
}
