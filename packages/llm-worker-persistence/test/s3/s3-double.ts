import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { errorXml, escapeXml, parseS3Request, readAll, type S3Request } from "./s3-operation.js";

/** Who may use the double, and who may not. */
export const DOUBLE_CREDENTIALS = { accessKeyId: "double", secretAccessKey: "secret" };
export const DOUBLE_OTHER_CREDENTIALS = { accessKeyId: "other", secretAccessKey: "secret" };
export const DOUBLE_BUCKET = "double-bucket";

const MAX_CLOCK_SKEW_MS = 15 * 60 * 1000;
const MIN_PART_BYTES = 5 * 1024 * 1024;
const DEFAULT_PAGE_LENGTH = 1000;

interface StoredObject {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly modified: Date;
}

interface Upload {
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly initiated: Date;
  readonly parts: Map<number, { readonly bytes: Buffer; readonly etag: string }>;
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

/** What the double takes a request for. */
interface Call extends S3Request {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A running double. */
export interface S3Double {
  readonly url: string;
  close(): Promise<void>;
}

class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

/**
 * The operations of S3 that the stores use, in the memory of this process, over HTTP, as Ceph RGW
 * carries them out: `server.test.ts` asks both the same. Signatures are not verified.
 */
export async function startS3Double({
  pageLength = DEFAULT_PAGE_LENGTH,
}: { readonly pageLength?: number } = {}): Promise<S3Double> {
  const bucket = new Bucket(pageLength);
  const server = createServer((request, response) => {
    void readAll(request).then((body) => {
      const call = { ...parseS3Request(request), headers: request.headers, body };
      send(response, answerTo(bucket, call));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // of a TCP server
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answerTo(bucket: Bucket, call: Call): Answer {
  try {
    checkSender(call);
    if (call.bucket !== DOUBLE_BUCKET) throw new Refusal(404, "NoSuchBucket");
    return bucket.answer(call);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const headers = { "content-type": "application/xml" };
    return { status: error.status, headers, body: errorXml(error.code) };
  }
}

function checkSender({ headers, body }: Call): void {
  const accessKeyId = /Credential=([^/]+)/.exec(headers.authorization ?? "")?.[1];
  const isKnown = [DOUBLE_CREDENTIALS, DOUBLE_OTHER_CREDENTIALS].some(
    (credentials) => credentials.accessKeyId === accessKeyId,
  );
  if (!isKnown) throw new Refusal(403, "InvalidAccessKeyId");
  const date = String(headers["x-amz-date"]).replace(
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/,
    "$1-$2-$3T$4:$5:$6Z",
  );
  if (Math.abs(Date.parse(date) - Date.now()) > MAX_CLOCK_SKEW_MS) {
    throw new Refusal(403, "RequestTimeTooSkewed");
  }
  if (headers["x-amz-content-sha256"] !== hash("sha256", body)) {
    throw new Refusal(400, "XAmzContentSHA256Mismatch");
  }
  if (accessKeyId !== DOUBLE_CREDENTIALS.accessKeyId) throw new Refusal(403, "AccessDenied");
}

class Bucket {
  readonly #objects = new Map<string, StoredObject>();
  readonly #uploads = new Map<string, Upload>();
  readonly #completed = new Set<string>();
  readonly #pageLength: number;

  constructor(pageLength: number) {
    this.#pageLength = pageLength;
  }

  answer(call: Call): Answer {
    switch (call.operation) {
      case "PutObject":
        return this.#put(call);
      case "GetObject":
        return this.#get(call);
      case "DeleteObject":
        this.#objects.delete(call.key);
        return { status: 204 };
      case "ListObjectsV2":
        return this.#list(call);
      case "CreateMultipartUpload":
        return this.#beginUpload(call);
      case "UploadPart":
        return this.#putPart(call);
      case "CompleteMultipartUpload":
        return this.#completeUpload(call);
      case "AbortMultipartUpload":
        this.#uploadOf(call);
        this.#uploads.delete(call.query.get("uploadId") ?? "");
        return { status: 204 };
      case "ListMultipartUploads":
        return this.#listUploads(call);
      case undefined:
        throw new Refusal(501, "NotImplemented");
    }
  }

  #put({ key, headers, body }: Call): Answer {
    if (headers["if-none-match"] === "*" && this.#objects.has(key)) {
      throw new Refusal(412, "PreconditionFailed");
    }
    const etag = `"${hash("md5", body)}"`;
    this.#objects.set(key, {
      bytes: body,
      etag,
      headers: storedHeaders(headers),
      modified: new Date(),
    });
    return { status: 200, headers: { etag } };
  }

  #get({ key, headers }: Call): Answer {
    const object = this.#objects.get(key);
    if (!object) throw new Refusal(404, "NoSuchKey");
    const match = headers["if-match"];
    if (match !== undefined && match !== object.etag) throw new Refusal(412, "PreconditionFailed");
    const { bytes } = object;
    const common = {
      ...object.headers,
      etag: object.etag,
      "last-modified": object.modified.toUTCString(),
    };
    if (headers.range === undefined) return { status: 200, headers: common, body: bytes };
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(headers.range) ?? [];
    const start = Number(first);
    if (start >= bytes.length) throw new Refusal(416, "InvalidRange");
    const end = Math.min(last ? Number(last) + 1 : bytes.length, bytes.length);
    return {
      status: 206,
      headers: { ...common, "content-range": `bytes ${start}-${end - 1}/${bytes.length}` },
      body: bytes.subarray(start, end),
    };
  }

  #list({ query }: Call): Answer {
    const after = query.get("continuation-token") ?? query.get("start-after") ?? "";
    const keys = [...this.#objects.keys()]
      .filter((key) => key.startsWith(query.get("prefix") ?? "") && key > after)
      .toSorted();
    const page = keys.slice(0, this.#pageLength);
    const isTruncated = keys.length > page.length;
    const contents = page.map((key) => {
      const { bytes, modified } = this.#objects.get(key) ?? { bytes: "", modified: new Date(0) };
      return `<Contents><Key>${escapeXml(key)}</Key><LastModified>${modified.toISOString()}</LastModified><Size>${bytes.length}</Size></Contents>`;
    });
    const token = isTruncated
      ? `<NextContinuationToken>${escapeXml(page.at(-1) ?? "")}</NextContinuationToken>`
      : "";
    return xml(
      "ListBucketResult",
      `<IsTruncated>${isTruncated}</IsTruncated>${token}${contents.join("")}`,
    );
  }

  #beginUpload({ key, headers }: Call): Answer {
    const uploadId = randomUUID();
    this.#uploads.set(uploadId, {
      key,
      headers: storedHeaders(headers),
      initiated: new Date(),
      parts: new Map(),
    });
    return xml("InitiateMultipartUploadResult", `<UploadId>${uploadId}</UploadId>`);
  }

  #putPart(call: Call): Answer {
    const etag = `"${hash("md5", call.body)}"`;
    const number = Number(call.query.get("partNumber"));
    this.#uploadOf(call).parts.set(number, { bytes: call.body, etag });
    return { status: 200, headers: { etag } };
  }

  #completeUpload(call: Call): Answer {
    const uploadId = call.query.get("uploadId") ?? "";
    const result = xml("CompleteMultipartUploadResult", "<ETag></ETag>");
    if (this.#completed.has(uploadId)) return result;
    const { key, parts, headers, initiated } = this.#uploadOf(call);
    const listed = [...call.body.toString().matchAll(/<Part>.*?<\/Part>/gs)].map(([part]) => {
      const number = Number(/<PartNumber>(\d+)</.exec(part)?.[1]);
      const etag = /<ETag>(.*?)</.exec(part)?.[1]?.replaceAll("&quot;", '"');
      const known = parts.get(number);
      if (!known || known.etag !== etag) throw new Refusal(400, "InvalidPart");
      return known;
    });
    if (listed.slice(0, -1).some(({ bytes }) => bytes.length < MIN_PART_BYTES)) {
      throw new Refusal(400, "EntityTooSmall");
    }
    const bytes = Buffer.concat(listed.map((part) => part.bytes));
    const etag = `"${hash("md5", bytes)}-${listed.length}"`;
    // As AWS has it: others take the time of the completion.
    this.#objects.set(key, { bytes, etag, headers, modified: initiated });
    this.#uploads.delete(uploadId);
    this.#completed.add(uploadId);
    return result;
  }

  #listUploads({ query }: Call): Answer {
    const uploads = [...this.#uploads]
      .filter(([, { key }]) => key.startsWith(query.get("prefix") ?? ""))
      .map(
        ([id, { key, initiated }]) =>
          `<Upload><Key>${escapeXml(key)}</Key><UploadId>${id}</UploadId><Initiated>${initiated.toISOString()}</Initiated></Upload>`,
      );
    return xml("ListMultipartUploadsResult", `<IsTruncated>false</IsTruncated>${uploads.join("")}`);
  }

  #uploadOf({ key, query }: Call): Upload {
    const upload = this.#uploads.get(query.get("uploadId") ?? "");
    if (upload?.key !== key) throw new Refusal(404, "NoSuchUpload");
    return upload;
  }
}

function storedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      (entry): entry is [string, string] =>
        typeof entry[1] === "string" &&
        (entry[0] === "content-type" || entry[0].startsWith("x-amz-meta-")),
    ),
  );
}

function xml(root: string, content: string): Answer {
  return {
    status: 200,
    headers: { "content-type": "application/xml" },
    body: `<?xml version="1.0" encoding="UTF-8"?><${root}>${content}</${root}>`,
  };
}

function send(response: ServerResponse, { status, headers = {}, body = "" }: Answer): void {
  const length = status === 204 ? {} : { "content-length": Buffer.byteLength(body) };
  response.writeHead(status, { ...headers, ...length });
  response.end(body);
}

function hash(algorithm: string, bytes: Uint8Array): string {
  return createHash(algorithm).update(bytes).digest("hex");
}
