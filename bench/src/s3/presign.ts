import { createHash, createHmac } from "node:crypto";
import type { S3Place } from "./place.js";

const EXPIRES_SECONDS = 3600;
const UNSIGNED = "UNSIGNED-PAYLOAD";

/** A URL that needs no headers: AWS Signature Version 4 in its query. */
export function presign(
  place: S3Place,
  method: "GET" | "PUT",
  key: string,
  now: Date = new Date(),
): string {
  const path = `/${place.bucket}/${key.split("/").map(encodeURIComponent).join("/")}`;
  const { host } = new URL(place.endpoint);
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const scope = [time.slice(0, 8), place.region, "s3", "aws4_request"];
  const query = new URLSearchParams({
    "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
    "X-Amz-Credential": `${place.accessKeyId}/${scope.join("/")}`,
    "X-Amz-Date": time,
    "X-Amz-Expires": String(EXPIRES_SECONDS),
    "X-Amz-SignedHeaders": "host",
  });
  const request = [method, path, query, `host:${host}\n`, "host", UNSIGNED].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", time, scope.join("/"), sha256(request)].join("\n");
  const signingKey = scope.reduce<string | Buffer>(hmac, `AWS4${place.secretAccessKey}`);
  query.set("X-Amz-Signature", hmac(signingKey, toSign).toString("hex"));
  return `${place.endpoint}${path}?${query.toString()}`;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
