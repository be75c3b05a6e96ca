import { randomUUID } from "node:crypto";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startFaultProxy } from "./fault-proxy.js";
import { IS_CEPH_RGW, SERVERS, type TestServer } from "./servers.js";

const MIB = 1024 * 1024;

/** The double is what the stores are tested with where nothing else is: these are what that rests on. */
const LIKE_CEPH = IS_CEPH_RGW ? SERVERS : SERVERS.slice(0, 1);

test.runIf(IS_CEPH_RGW)(
  "the double is compared with Ceph RGW (needs LLM_WORKER_S3_ENDPOINT and LLM_WORKER_S3_SERVER=ceph-rgw)",
  () => {
    expect(LIKE_CEPH).toHaveLength(2);
  },
);

describe.each(LIKE_CEPH)("%s", (_, start) => {
  let server: TestServer;
  let client: S3Client;

  beforeAll(async () => {
    server = await start();
    client = newClient();
  });
  afterAll(async () => {
    client.destroy();
    await server.close();
  });

  function newClient(changes: S3ClientConfig = {}): S3Client {
    const { endpoint, region } = server;
    // Checked for presence by whoever needs it; the SDK's type does not allow `undefined`.
    const { accessKeyId, secretAccessKey } = server.credentials;
    return new S3Client({
      endpoint,
      region,
      credentials: { accessKeyId, secretAccessKey },
      forcePathStyle: true,
      requestChecksumCalculation: "WHEN_REQUIRED",
      maxAttempts: 1,
      ...changes,
    });
  }

  function newKey(): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: server.bucket, Key: `server-test/${randomUUID()}/a key+with %&=?.txt` };
  }

  async function refusalOf(request: Promise<unknown>): Promise<string> {
    try {
      await request;
      return "no refusal";
    } catch (error) {
      const { name, $metadata } = error as {
        readonly name: string;
        readonly $metadata: { readonly httpStatusCode?: number };
      }; // what the SDK throws for every answer
      return `${$metadata.httpStatusCode} ${name}`;
    }
  }

  async function put(body: string): Promise<{ readonly Bucket: string; readonly Key: string }> {
    const address = newKey();
    await client.send(new PutObjectCommand({ ...address, Body: Buffer.from(body) }));
    return address;
  }

  function get(
    input: ConstructorParameters<typeof GetObjectCommand>[0],
  ): Promise<readonly [text: string | undefined, range: string | undefined]> {
    return client
      .send(new GetObjectCommand(input))
      .then(async ({ Body, ContentRange }) => [await Body?.transformToString(), ContentRange]);
  }

  test("gives back body, content type and metadata", async () => {
    const address = newKey();
    const described = { ContentType: "image/png", Metadata: { "llm-worker": "a+b/c==" } };
    await client.send(new PutObjectCommand({ ...address, ...described, Body: "body" }));
    const answer = await client.send(new GetObjectCommand(address));
    expect(answer).toMatchObject({ ...described, ContentLength: 4 });
    expect(await answer.Body?.transformToString()).toBe("body");
  });

  test("gives ranges, cut to the object", async () => {
    const address = await put("0123456789");
    expect(await get({ ...address, Range: "bytes=2-4" })).toEqual(["234", "bytes 2-4/10"]);
    expect(await get({ ...address, Range: "bytes=8-99" })).toEqual(["89", "bytes 8-9/10"]);
    expect(await refusalOf(get({ ...address, Range: "bytes=10-11" }))).toBe("416 InvalidRange");
    const empty = await put("");
    expect(await refusalOf(get({ ...empty, Range: "bytes=0-0" }))).toBe("416 InvalidRange");
    expect(await get(empty)).toEqual(["", undefined]);
  });

  test("gives an object only if it is the one that is meant", async () => {
    const address = await put("first");
    const { ETag } = await client.send(new GetObjectCommand(address));
    expect(await get({ ...address, IfMatch: ETag, Range: "bytes=0-0" })).toEqual([
      "f",
      "bytes 0-0/5",
    ]);
    await client.send(new PutObjectCommand({ ...address, Body: "second" }));
    const replaced = get({ ...address, IfMatch: ETag, Range: "bytes=0-0" });
    expect(await refusalOf(replaced)).toBe("412 PreconditionFailed");
  });

  test("says what is not there", async () => {
    const address = newKey();
    const missing = { ...address, Bucket: "no-such-bucket-anywhere" };
    expect(await refusalOf(get(address))).toBe("404 NoSuchKey");
    expect(await refusalOf(get(missing))).toBe("404 NoSuchBucket");
    expect(await refusalOf(client.send(new DeleteObjectCommand(address)))).toBe("no refusal");
  });

  test("of conditional writes at the same time carries out one", async () => {
    const address = newKey();
    const refusals = await Promise.all(
      Array.from({ length: 16 }, (__, number) =>
        refusalOf(
          client.send(new PutObjectCommand({ ...address, Body: `${number}`, IfNoneMatch: "*" })),
        ),
      ),
    );
    expect(refusals.toSorted()).toEqual([
      ...Array.from({ length: 15 }, () => "412 PreconditionFailed"),
      "no refusal",
    ]);
  });

  test("notices a body that was changed on the way", async () => {
    const proxy = await startFaultProxy(server.endpoint);
    const through = newClient({ endpoint: proxy.url });
    proxy.rules({ operation: "PutObject", fault: { type: "corrupt_request" } });
    const sending = through.send(new PutObjectCommand({ ...newKey(), Body: "body" }));
    expect(await refusalOf(sending)).toBe("400 XAmzContentSHA256Mismatch");
    through.destroy();
    await proxy.close();
  });

  test("lists keys in order, page after page", async () => {
    const Prefix = `server-test/${randomUUID()}/`;
    const keys = Array.from({ length: 1_001 }, (__, number) => `${Prefix}${number} &<>`).toSorted();
    for (let at = 0; at < keys.length; at += 50) {
      const batch = keys.slice(at, at + 50);
      await Promise.all(
        batch.map((Key) =>
          client.send(new PutObjectCommand({ Bucket: server.bucket, Key, Body: "ab" })),
        ),
      );
    }
    const first = await client.send(new ListObjectsV2Command({ Bucket: server.bucket, Prefix }));
    expect(first.IsTruncated).toBe(true);
    const ContinuationToken = first.NextContinuationToken;
    const second = await client.send(
      new ListObjectsV2Command({ Bucket: server.bucket, Prefix, ContinuationToken }),
    );
    expect(second.IsTruncated).toBe(false);
    const entries = [...(first.Contents ?? []), ...(second.Contents ?? [])];
    expect(entries.map(({ Key }) => Key)).toEqual(keys);
    expect(entries[0]).toMatchObject({ Size: 2, LastModified: expect.any(Date) });
  });

  test("shows an upload in parts when it is complete, and completes it again if asked to", async () => {
    const address = newKey();
    const { UploadId } = await client.send(
      new CreateMultipartUploadCommand({ ...address, Metadata: { of: "upload" } }),
    );
    const upload = { ...address, UploadId };
    const bodies = [Buffer.alloc(5 * MIB, "a"), Buffer.from("b")];
    const Parts = [];
    for (const [index, Body] of bodies.entries()) {
      const PartNumber = index + 1;
      const { ETag } = await client.send(new UploadPartCommand({ ...upload, PartNumber, Body }));
      Parts.push({ PartNumber, ETag });
    }
    const { Uploads } = await client.send(
      new ListMultipartUploadsCommand({ Bucket: server.bucket, Prefix: address.Key }),
    );
    expect(Uploads).toMatchObject([{ Key: address.Key, UploadId, Initiated: expect.any(Date) }]);
    expect(await refusalOf(get(address))).toBe("404 NoSuchKey");

    const complete = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } });
    await client.send(complete);
    const answer = await client.send(new GetObjectCommand(address));
    expect(answer).toMatchObject({ ContentLength: 5 * MIB + 1, Metadata: { of: "upload" } });
    expect((await answer.Body?.transformToByteArray())?.at(-1)).toBe("b".charCodeAt(0));
    expect(await refusalOf(client.send(complete))).toBe("no refusal");
    const aborting = client.send(new AbortMultipartUploadCommand(upload));
    expect(await refusalOf(aborting)).toBe("404 NoSuchUpload");
    expect((await get({ ...address, Range: "bytes=0-0" }))[0]).toBe("a");
  });

  test("refuses an upload whose parts are too small or not those that came", async () => {
    const address = newKey();
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(address));
    const upload = { ...address, UploadId };
    const Parts = [];
    for (const PartNumber of [1, 2]) {
      const Body = `part ${PartNumber}`;
      const { ETag } = await client.send(new UploadPartCommand({ ...upload, PartNumber, Body }));
      Parts.push({ PartNumber, ETag });
    }
    const small = { ...upload, MultipartUpload: { Parts } };
    const other = { ...upload, MultipartUpload: { Parts: [{ PartNumber: 1, ETag: '"0"' }] } };
    expect(await refusalOf(client.send(new CompleteMultipartUploadCommand(small)))).toBe(
      "400 EntityTooSmall",
    );
    expect(await refusalOf(client.send(new CompleteMultipartUploadCommand(other)))).toBe(
      "400 InvalidPart",
    );
    await client.send(new AbortMultipartUploadCommand(upload));
    expect(await refusalOf(client.send(new AbortMultipartUploadCommand(upload)))).toBe(
      "404 NoSuchUpload",
    );
  });

  test("refuses who is unknown, who has no right, and whose clock is wrong", async () => {
    const address = await put("x");
    const unknown = { accessKeyId: "nobody", secretAccessKey: "secret" };
    const { accessKeyId = "", secretAccessKey = "" } = server.otherCredentials ?? {};
    for (const [config, refusal] of [
      [{ credentials: unknown }, "403 InvalidAccessKeyId"],
      [{ credentials: { accessKeyId, secretAccessKey } }, "403 AccessDenied"],
      [{ systemClockOffset: 60 * 60 * 1000 }, "403 RequestTimeTooSkewed"],
    ] as const) {
      const other = newClient(config);
      expect(await refusalOf(other.send(new GetObjectCommand(address)))).toBe(refusal);
      other.destroy();
    }
  });
});
