import type { IncomingMessage } from "node:http";
import type { S3OperationName } from "../../src/s3/s3-sdk.js";

/** What a request asks for, in path style. `undefined` for what no store sends. */
export interface S3Request {
  readonly operation: S3OperationName | undefined;
  readonly bucket: string;
  readonly key: string;
  readonly query: URLSearchParams;
}

/** Reads method and URL of a request. */
export function parseS3Request({ method = "", url = "" }: IncomingMessage): S3Request {
  const { pathname, searchParams } = new URL(url, "http://localhost");
  const [, bucket = "", key = ""] = /^\/([^/]*)\/?(.*)$/.exec(decodeURIComponent(pathname)) ?? [];
  return { operation: operationOf(method, key, searchParams), bucket, key, query: searchParams };
}

function operationOf(
  method: string,
  key: string,
  query: URLSearchParams,
): S3OperationName | undefined {
  const isUpload = query.has("uploadId");
  if (key === "") {
    if (method !== "GET") return undefined;
    return query.has("uploads") ? "ListMultipartUploads" : "ListObjectsV2";
  }
  switch (method) {
    case "GET":
      return "GetObject";
    case "PUT":
      return isUpload ? "UploadPart" : "PutObject";
    case "POST":
      return isUpload ? "CompleteMultipartUpload" : "CreateMultipartUpload";
    case "DELETE":
      return isUpload ? "AbortMultipartUpload" : "DeleteObject";
    default:
      return undefined;
  }
}

/** All of a request or answer. */
export async function readAll(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The text with what XML keeps for itself written otherwise. */
export function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The body of an error answer. */
export function errorXml(code: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${escapeXml(code)}</Code><Message>${escapeXml(code)}</Message></Error>`;
}
