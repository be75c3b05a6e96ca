import { expect, test } from "vitest";
import { toBlobStoreError } from "./s3-error.js";
import { isTransient, toS3Failure } from "./s3-failure.js";

const task = { what: "the blob was not stored", bucket: "b" };

function answer(status: number, name: string, headers: object = {}): Error {
  return Object.assign(new Error("what the server says"), {
    name,
    $metadata: { httpStatusCode: status, requestId: "r1" },
    $response: { statusCode: status, headers },
  });
}

function network(code: string): Error {
  return Object.assign(new Error("what the network says"), { code });
}

test.each([
  ["SlowDown", answer(503, "SlowDown"), true],
  ["a 500", answer(500, "InternalError"), true],
  ["an error inside a 200", answer(200, "InternalError"), true],
  ["a write at the same time", answer(409, "ConditionalRequestConflict"), true],
  ["a body changed on the way", answer(400, "BadDigest"), true],
  ["a reset", network("ECONNRESET"), true],
  ["a name server that does not answer", network("EAI_AGAIN"), true],
  ["a host that does not exist", network("ENOTFOUND"), false],
  ["a condition that is not met", answer(412, "PreconditionFailed"), false],
  ["an error of the SDK's own", new Error("Region is missing"), false],
  ["no right", answer(403, "AccessDenied"), false],
  ["what is not there", answer(404, "NoSuchKey"), false],
  ["what the server does not know", answer(501, "NotImplemented"), false],
])("%s: whether to ask again", (_, error, expected) => {
  expect(isTransient(toS3Failure(error))).toBe(expected);
});

test.each([
  ["no_space", answer(507, "InsufficientStorage")],
  ["no_space", answer(403, "QuotaExceeded")],
  ["forbidden", answer(403, "AccessDenied")],
  ["forbidden", answer(403, "SignatureDoesNotMatch")],
  ["forbidden", answer(401, "Unauthorized")],
  ["unavailable", answer(404, "NoSuchBucket")],
  ["unavailable", answer(301, "PermanentRedirect")],
  ["unavailable", network("ECONNREFUSED")],
])("the code is %s for %s", (code, error) => {
  expect(toBlobStoreError(toS3Failure(error), task)).toMatchObject({
    code,
    cause: { name: "S3Failure" },
  });
});

test("a region is told whether it comes in a header or in the body", () => {
  const header = answer(301, "PermanentRedirect", { "x-amz-bucket-region": "eu-west-1" });
  const body = Object.assign(answer(400, "AuthorizationHeaderMalformed"), { Region: "eu-west-1" });
  for (const error of [header, body]) {
    expect(String(toBlobStoreError(toS3Failure(error), task))).toContain('region: "eu-west-1"');
  }
});

test("what the SDK says by itself is told", () => {
  const error = toBlobStoreError(toS3Failure(new Error("Region is missing")), task);
  expect(String(error)).toContain("Region is missing");
});

test("a clock that is ahead is told as such", () => {
  const now = Date.parse("2026-01-01T12:00:00Z");
  const error = answer(403, "RequestTimeTooSkewed", { date: "Thu, 01 Jan 2026 11:30:00 GMT" });
  expect(String(toBlobStoreError(toS3Failure(error, now), task))).toContain("30 min ahead");
});

test("what the answer repeats of the request is not in the failure", () => {
  const error = Object.assign(answer(403, "SignatureDoesNotMatch"), {
    CanonicalRequest: "x-amz-security-token:secret-token",
  });
  const failure = toS3Failure(error);
  expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain(
    "secret-token",
  );
  expect(failure.cause).toBeUndefined();
});

test("what is no failure of S3 is passed on as it is", () => {
  const reason = new Error("aborted by the caller");
  expect(toBlobStoreError(reason, task)).toBe(reason);
});
