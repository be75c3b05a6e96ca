import { expect, test } from "vitest";
import { presign } from "./presign.js";

const place = {
  endpoint: "http://localhost:9000",
  region: "us-east-1",
  bucket: "bucket",
  accessKeyId: "key",
  secretAccessKey: "secret",
};

test("a signed URL names the object, and is good for its own method, time and key alone", () => {
  const now = new Date("2026-01-02T03:04:05Z");
  const url = new URL(presign(place, "GET", "a prefix/b.txt", now));
  expect(url.pathname).toBe("/bucket/a%20prefix/b.txt");
  expect(url.searchParams.get("X-Amz-Credential")).toBe("key/20260102/us-east-1/s3/aws4_request");
  expect(url.searchParams.get("X-Amz-Date")).toBe("20260102T030405Z");
  const signatureOf = (method: "GET" | "PUT", key: string, time: Date): string | null =>
    new URL(presign(place, method, key, time)).searchParams.get("X-Amz-Signature");
  const signatures = [
    signatureOf("GET", "b.txt", now),
    signatureOf("PUT", "b.txt", now),
    signatureOf("GET", "c.txt", now),
    signatureOf("GET", "b.txt", new Date(0)),
  ];
  expect(signatures.every((signature) => /^[0-9a-f]{64}$/.test(signature ?? ""))).toBe(true);
  expect(new Set(signatures).size).toBe(signatures.length);
});
